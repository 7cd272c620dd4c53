#!/usr/bin/env bash
# The same bytes whatever compiled TrainSpec, reported as TAP: IRs and reports of all examples, by the first build folder and by each other.
#   run-bytes.sh BUILD-FOLDER BUILD-FOLDER...
# In a build folder may lie `run-with`, the command that runs its programs on this machine: an emulator.
set -u
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
root=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

# The plans with the options their tests play them with, and the studies that draw random numbers or play in the order of time.
plans() {
  local file
  for file in "$root"/examples/*.ts; do echo "examples/${file##*/}"; done
  echo "-D batch=4 -D tp=4 examples/gpt2_large.ts"
  echo "-D dp=2 -D pp=4 -D micro_batches=4 examples/resnet50.ts"
  echo "-D graph=double_ring -D backups=1 -D ahead=4 examples/hop.ts"
  echo "-D light=true examples/wafer.ts"
}
studies() {
  echo "--overlap=physical examples/my_schedule.ts"
  echo "--repeat=20 --jitter=lognormal:2% examples/my_schedule.ts"
  echo "--sensitivity examples/gpt2_large.ts"
  echo "--contention examples/wafer.ts"
  echo "--mtbf=1000h --checkpoint=30s --restart=10min examples/my_schedule.ts"
}

# answers BUILD-FOLDER TO: a file for each plan and form, with what it printed and how it ended.
answers() {
  local build=$1 to=$2 with programs=$1 count=0 arguments
  with=$(cat "$build/run-with" 2>/dev/null)
  mkdir -p "$to"
  cd "$root" || exit 1
  answer() { # NAME PROGRAM ARGUMENT...
    local name=$1 program=$programs/$2
    shift 2
    $with "$program" "$@" >"$to/$name" 2>&1 </dev/null
    echo "exit $?" >>"$to/$name"
  }
  while read -r arguments; do
    count=$((count + 1))
    answer "$count: IR of $(name_of "$arguments")" tsc $arguments -o -
    answer "$count: report of $(name_of "$arguments")" tsrun --format=json $arguments
  done < <(plans)
  while read -r arguments; do
    count=$((count + 1))
    answer "$count: report of $(name_of "$arguments")" tsrun $arguments
  done < <(studies)
}
name_of() { echo "${1//examples\//}" | tr / _; }

compare() { # BUILD-FOLDER NAME: with the answers of the first
  local file name
  for file in "$scratch"/first/*; do
    name=${file##*/}
    check "$2, $name" cmp "$file" "$scratch/$2/$name"
  done
}

first=$(cd "$1" && pwd) || exit 1
(answers "$first" "$scratch/first")
played=0
for file in "$scratch"/first/*IR*; do [ "$(tail -c 7 "$file")" != "exit 0" ] || played=$((played + 1)); done
shift
for folder; do
  build=$(cd "$folder" && pwd) || exit 1
  (answers "$build" "$scratch/${build##*/}")
  compare "$build" "${build##*/}"
done
report "most examples compile" "$([ "$played" -ge 10 ] || echo "only $played examples compiled")"
summary
