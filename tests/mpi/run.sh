#!/usr/bin/env bash
# Sweeps that several processes play (./dev mpi): run.sh BUILD, a build --with-mpi. As TAP. Skips with a message where MPI is absent.
set -u
. "$(dirname "$0")/../tap.sh"
export LC_ALL=C OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd) || exit 1
command -v mpirun >/dev/null || skip_all "mpi: no mpirun (apt-get install openmpi-bin)"
"$build/trainspec" --version | grep -q '(MPI)' || skip_all "mpi: this build has no MPI (./configure --with-mpi)"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
export PATH="$build:$PATH"
cp "$root/tests/cli/_sweep.ts" plan.ts
cp "$root/examples/degrees.ts" "$root/examples/gpt3_175b.ts" . 2>/dev/null

has() { grep -qF -- "$1" err || { echo "no line with: $1"; cat err; return 1; }; }
once() { [ "$(grep -cF -- "$1" err)" = 1 ] || { echo "not once: $1"; cat err; return 1; }; }
job() { timeout 100 mpirun "$@"; }
openmpi() { mpirun --version 2>/dev/null | grep -q 'Open MPI'; }
# The process of this job with this rank.
process() { # RANK WORD-OF-ITS-COMMAND
  local p
  for p in $(pgrep -f "$2"); do
    tr '\0' '\n' <"/proc/$p/environ" 2>/dev/null | grep -qxE "(OMPI_COMM_WORLD|PMI)_RANK=$1" && { echo "$p"; return; }
  done
}

# ---- The same bytes ----
lines="--vary m=2001..2031 --set dp=2"
trainspec sweep $lines --format csv plan.ts >one.csv 2>one.err
trainspec sweep $lines --top 4 plan.ts >one.txt 2>/dev/null
trainspec sweep --top 3 degrees.ts >one.degrees 2>/dev/null
trainspec sweep --all --top 5 degrees.ts >one.all 2>/dev/null
same() { # PROCESSES FILE OPTION...
  local processes=$1 file=$2
  shift 2
  job -n "$processes" trainspec sweep "$@" >several 2>err && cmp "$file" several
}
check 'mpi/one.csv is not empty' test "$(wc -l <one.csv)" = 31
for processes in 2 3 4; do check "mpi/$processes processes, csv" same $processes one.csv $lines --format csv plan.ts; done
check 'mpi/messages are those of one process' cmp one.err err
check 'mpi/3 processes, text' same 3 one.txt $lines --top 4 plan.ts
check 'mpi/3 processes, bounds' same 3 one.degrees --top 3 degrees.ts
check 'mpi/2 processes of two threads, bounds' same 2 one.degrees -j2 --top 3 degrees.ts
trainspec sweep --vary m=2001..2002 --set dp=2 plan.ts >one.plan 2>/dev/null
check 'mpi/more processes than plans' same 4 one.plan --vary m=2001..2002 --set dp=2 plan.ts
kept() {
  job -n 3 trainspec sweep $lines --format csv --journal kept.db plan.ts >several 2>err && cmp one.csv several &&
    trainspec sweep $lines --format csv --journal kept.db --resume plan.ts 2>/dev/null | cmp one.csv - && trainspec sweep status kept.db | grep -q '30 of 30 plans, 0 of them'
}
check 'mpi/a journal has them all' kept

# ---- A budget that all share ----
space="--budget 90 --vary m=1..100000 --vary tp=1..9 --vary dp=1..9 --vary pp=1..9 --require tp*dp*pp<9 --require m<500"
trainspec sweep $space --journal alone.db plan.ts >one.budget 2>one.err
trainspec sweep $space --seed 3 --minimize step_time --minimize peak_memory --format json plan.ts >one.front 2>/dev/null
check 'mpi/a budget: something was tried' grep -q 'near the best' one.budget
check 'mpi/2 processes share a budget' same 2 one.budget $space plan.ts
check 'mpi/messages of a budget are those of one process' cmp one.err err
check 'mpi/3 processes of two threads share a budget' same 3 one.budget $space -j2 plan.ts
check 'mpi/3 processes share a budget, two goals' same 3 one.front $space --seed 3 --minimize step_time --minimize peak_memory --format json plan.ts
shared_journal() {
  job -n 3 trainspec sweep $space --journal shared.db plan.ts >several 2>err && cmp one.budget several &&
    trainspec sweep $space --journal shared.db --resume plan.ts 2>/dev/null | cmp one.budget - &&
    job -n 2 trainspec sweep $space --journal alone.db --resume plan.ts 2>/dev/null | cmp one.budget -
}
check 'mpi/a budget with a journal, and on from there' shared_journal
parts_of_all() { trainspec sweep $space --shard all/3 plan.ts >one.parts 2>/dev/null && same 2 one.parts $space --shard all/3 plan.ts; }
check 'mpi/parts of a budget, one after the other' parts_of_all
timed() { job -n 2 trainspec sweep $space --budget 1s plan.ts >several 2>err && grep -q 'plans looked at' several; }
check 'mpi/a budget in time' timed

# ---- Bad input, told once ----
refused() { # WORDS MPIRUN-ARGUMENT...: fails, and says so in one line
  local words=$1
  shift
  ! job "$@" >several 2>err && once "$words" && [ ! -s several ]
}
check 'mpi/no such file' refused 'cannot read `none.ts`' -n 3 trainspec sweep none.ts
check 'mpi/wrong option' refused 'unknown option `--foo`' -n 3 trainspec sweep --foo plan.ts
objcopy --remove-section .note.gnu.build-id "$build/trainspec" other 2>/dev/null || cp "$build/trainspec" other
check 'mpi/another build' refused 'it is another build of TrainSpec' -n 1 trainspec sweep $lines plan.ts : -n 1 ./other sweep $lines plan.ts
mkdir there
sed 's/2048/1024/; s/^plan /\n&/' plan.ts >there/plan.ts
check 'mpi/other inputs' refused 'it reads another plan' -n 1 trainspec sweep $lines plan.ts : -wdir "$scratch/there" -n 1 trainspec sweep $lines plan.ts
check 'mpi/a file that is not there' refused 'cannot take part: cannot read `plan.ts`' -n 1 trainspec sweep $lines plan.ts : -wdir / -n 1 trainspec sweep $lines plan.ts
check 'mpi/other options of a budget' refused 'it was started with other options' -n 1 trainspec sweep $space plan.ts : -n 1 trainspec sweep $space --require 'm>2' plan.ts
check 'mpi/other options' refused 'it was started with other options' -n 1 trainspec sweep $lines plan.ts : -n 1 trainspec sweep --vary m=2001..2030 --set dp=2 plan.ts
without() { ! OMPI_COMM_WORLD_SIZE=2 "$root/build/trainspec" sweep plan.ts >several 2>err && has 'this build cannot share a sweep'; }
[ ! -x "$root/build/trainspec" ] || "$root/build/trainspec" --version | grep -q '(MPI)' || check 'mpi/a build without MPI' without

# ---- Processes that die ----
# The last of three is killed when some plans are known.
killed() { # MPIRUN-ARGUMENT...
  rm -f cut.db*
  job "$@" -n 3 trainspec sweep -j1 --all --top 5 --journal cut.db degrees.ts >several 2>err &
  local starter=$!
  until trainspec sweep status cut.db 2>/dev/null | grep -q 'best so far'; do kill -0 $starter || return 1; done
  kill -9 "$(process 2 'trainspec sweep -j1 --all --top 5 --journal cut.db')"
  wait $starter
}
ends() { # a job may be done before the kill
  local tries=0
  while killed; do [ $((tries += 1)) -lt 5 ] || return 1; done
  [ ! -s several ] || return 1
  tries=0 # mpirun may return before the last of its processes is gone
  until trainspec sweep --all --top 5 --journal cut.db --resume degrees.ts >resumed 2>why; do
    grep -q 'another sweep writes it' why && [ $((tries += 1)) -lt 100 ] || { cat why; return 1; }
    sleep 0.1
  done
  cmp one.all resumed && ! trainspec sweep status cut.db | grep -q '78 of 78 plans, 78 of them'
}
check 'mpi/one is killed: the job ends, and --resume goes on' ends
goes_on() {
  local tries=0
  until killed --enable-recovery && cmp one.all several && once 'has been silent for 10 s'; do [ $((tries += 1)) -lt 5 ] || return 1; done
}
! openmpi || check 'mpi/one is killed, --enable-recovery: its plans go to others' goes_on
summary
