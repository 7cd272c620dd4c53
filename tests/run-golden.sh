#!/usr/bin/env bash
# Golden files, reported as TAP; tests/README.md says how a case is laid out.
#   run-golden.sh [--update] [KIND[/NAME]...]
# Cases are dealt to as many workers as there are processors; TS_TEST_WORKERS sets another number.
set -u
export LC_ALL=C
unset NO_COLOR CLICOLOR_FORCE MAKEFLAGS MAKELEVEL MFLAGS
root=$(cd "${top_srcdir:-$(dirname "$0")/..}" && pwd)
build=$(cd "${top_builddir:-$root/build}" && pwd) || exit 1
export PATH="$build:$PATH"
timeout=${TS_TEST_TIMEOUT:-180}
top=$(mktemp -d) || exit 1
trap 'rm -rf "$top"' EXIT
export scratch # of a worker

update=
[ "${1:-}" != --update ] || { update=yes; shift; }
number=0
met=0 # selected cases so far, of all workers

wanted() { # KIND/NAME
  [ ${#names[@]} -gt 0 ] || return 0
  local w
  for w in "${names[@]}"; do [[ $1 = "$w" || $1 = "$w"/* ]] && return 0; done
  return 1
}

selected() { # KIND/NAME: wanted, and this worker's
  wanted "$1" && [ $((met++ % workers)) = "$worker" ]
}

has() { [ -x "$build/$1" ]; }

# run COMMAND-LINE: sets $status; standard output and error in $scratch/out and err.
run() {
  timeout "$timeout" bash -c "$1" </dev/null >"$scratch/out" 2>"$scratch/err"
  status=$?
  [ $status != 124 ] || echo "no answer within $timeout s" >>"$scratch/err"
}

# A run that should work shows what it printed; one that did not, also why. Digests of the whole standard library and of
# what a compiler built differ with every change of these, which is none of a golden's business.
outcome() {
  sed -E 's/(files of std, together|\.so) [0-9a-f]{8}/\1 DIGEST/' "$scratch/out"
  [ $status = 0 ] || { cat "$scratch/err"; echo "exit $status"; }
}
# A run that should be refused shows the message and the exit code, and that nothing was left behind.
refusal() {
  cat "$scratch/err"
  [ ! -s "$scratch/out" ] || { echo "printed:"; cat "$scratch/out"; }
  [ $status = 0 ] || [ ! -e "$scratch/plan.ir" ] || echo "left an output file"
  echo "exit $status"
}

# compare KIND/NAME GOLDEN: $scratch/got against the golden file.
compare() {
  number=$((number + 1))
  if [ -n "$update" ]; then
    cmp -s "$scratch/got" "$2" || { cp "$scratch/got" "$2"; echo "# updated $2"; }
    echo "ok $number - $1"
  elif [ ! -f "$2" ]; then
    echo "# no $2; make it with tests/run-golden.sh --update $1"; sed 's/^/# /' "$scratch/got"
    echo "not ok $number - $1"
  elif diff -u --label expected --label got "$2" "$scratch/got" >"$scratch/diff"; then
    echo "ok $number - $1"
  else
    sed 's/^/# /' "$scratch/diff"; echo "not ok $number - $1"
  fi
}

# cases KIND SUFFIX PROGRAM DEFAULT-COMMAND RESULT: every tests/KIND/NAME.* with a golden .SUFFIX, a NAME.cmd or an input.
# In the default command @ stands for the input, % for the options in NAME.args. Examples are run from the root.
cases() {
  local kind=$1 suffix=$2 program=$3 default=$4 result=$5 name input command arguments from=.
  [ "$kind" != examples ] || from=$root
  cd "$root/tests/$kind" 2>/dev/null || return 0
  has "$program" || return 0
  for name in $(ls -- *.ts *.tsir *.cmd *."$suffix" 2>/dev/null | sed -E "s/\.(ts|tsir|cmd|$suffix)\$//" | sort -u); do
    case $name in _*) continue ;; esac # imported by other cases
    selected "$kind/$name" || continue
    input=$name.ts
    if [ "$kind" = examples ]; then input=examples/$input; elif [ ! -f "$input" ]; then input=$name.tsir; fi
    arguments=$(cat "$name.args" 2>/dev/null)
    command=${default//@/$input}; command=${command//%/$arguments}
    [ ! -f "$name.cmd" ] || command=$(cat "$name.cmd")
    rm -f "$scratch/plan.ir"
    run "cd $from && $command"
    "$result" >"$scratch/got"
    compare "$kind/$name" "$name.$suffix"
  done
}

# Formatting twice changes nothing, on every file of the language that we own.
formatted_stays() {
  has tsfmt || return 0
  cd "$root" || exit 1
  rm -rf "${scratch:?}"/* # what cases left there may have the names that are used here
  local file
  for file in $(find stdlib examples tests/fmt -name '*.ts' -o -name '*.fmt' | sort); do
    [ ! -f "${file%.*}.cmd" ] && ! grep -q '^exit [1-9]' "${file%.*}.fmt" 2>/dev/null || continue # no formatted text
    selected "stays/$file" || continue
    number=$((number + 1))
    if tsfmt - <"$file" >"$scratch/once" 2>"$scratch/err" && tsfmt - <"$scratch/once" >"$scratch/twice" 2>>"$scratch/err" \
      && diff -u "$scratch/once" "$scratch/twice" >"$scratch/diff"; then
      echo "ok $number - stays/$file"
    else
      sed 's/^/# /' "$scratch/err" "$scratch/diff" 2>/dev/null; echo "not ok $number - stays/$file"
    fi
  done
}

# No line of a program's --help is wider than 80 columns. That it agrees with the manual: cli/manual.
help_is_narrow() {
  local program
  for program in tsc tsrun tsfmt trainspec; do
    has "$program" || continue
    selected "narrow/$program" || continue
    number=$((number + 1))
    "$program" --help | awk 'length > 80 { print "# wider than 80 columns: " $0; wide = 1 } END { exit wide }' || printf 'not '
    echo "ok $number - narrow/$program"
  done
}

all_cases() {
  cases errors err tsc 'tsc --stdlib=_std -o $scratch/plan.ir % @' refusal
  cases layouts err tsc 'tsc -o $scratch/plan.ir % @' refusal
  cases cli out tsc 'false' outcome
  cases fmt fmt tsfmt 'tsfmt - % <@' outcome
  cases lang ir tsc 'tsc -S -o - % @' outcome
  cases engine out tsrun 'tsrun % @' outcome
  case $(has tsrun && tsrun --version) in # what ns-3 plays, or what is said where it is not
    *ns-3*) cases packet out tsrun 'tsrun % @' outcome ;;
    *) cases packet/without out tsrun 'tsrun % @' outcome ;;
  esac
  cases examples out tsrun 'tsrun % @' outcome
  cases models out tsc 'false' outcome
  cases traces out trainspec 'false' outcome
  cases strategies out tsrun 'false' outcome
  formatted_stays
  help_is_narrow
}

names=("$@")
workers=${TS_TEST_WORKERS:-$(nproc)}
for ((worker = 0; worker < workers; worker++)); do
  scratch=$top/$worker
  mkdir "$scratch" || exit 1
  { all_cases; echo "# whole"; } >"$scratch.tap" &
done
wait
# One numbering over all of them. A worker that stopped early is no pass.
cat "$top"/*.tap | awk -v workers="$workers" '
  /^# whole$/ { whole++; next }
  /^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) }
  { print }
  END {
    if (whole != workers) print "Bail out! " workers - whole " of " workers " workers stopped early"
    else if (n) print "1.." n
    else print "1..0 # SKIP no program built or no case chosen"
  }'
