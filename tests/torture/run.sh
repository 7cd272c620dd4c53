#!/usr/bin/env bash
# Fault injection. Each command of tests/torture/cases runs many times, with one fault each time: a request for memory fails, a system call
# fails, a signal arrives, a disk is full, an output is closed. The command must succeed as without the fault, or print what is wrong and
# exit with one of its own codes. A file that it writes must have its old content or its new content. No other file may be left behind.
#   run.sh BUILD-FOLDER [--points=N] [CASE...]    N: points of each kind in a case, N spread evenly and the last N; without it all
set -u
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD-FOLDER [--points=N] [CASE...]}" && pwd)
shift
points=0
case ${1:-} in --points=*) points=${1#*=}; shift ;; esac
unset NO_COLOR CLICOLOR_FORCE

work=$(mktemp -d) || exit 4
trap 'rm -rf "$work"' EXIT
tried=0 findings=0

mkdir "$work/bin" "$work/inputs" "$work/here" "$work/reference"
for p in tsc tsrun tsfmt trainspec; do
  ln -s "$build/$p" "$work/bin/$p"
done
for p in check locked words; do # hooks of pre-commit
  ln -s "$root/share/pre-commit/$p" "$work/bin/$p"
done
export PATH="$work/bin:$PATH"
${CC:-cc} -shared -fPIC -O1 -o "$work/refuse.so" "$root/tests/torture/refuse.c" || exit 4
${CC:-cc} -I"$root" -O1 -o "$work/bin/library" "$root/tests/torture/library.c" "$build/libtrainspec.so" -Wl,-rpath,"$build" || exit 4

inputs() {
  cd "$work/inputs" || exit 4
  cp "$root"/tests/engine/two_stages.tsir stages.tsir
  cp "$root"/tests/cli/_plan.ts plan.ts
  cp "$root"/tests/cli/_sizes.ts "$root"/tests/cli/_ops.csv .
  cp _ops.csv ops.csv
  cp "$root"/stdlib/networks/h100_sxm.json network.json
  cp "$root"/tests/traces/_small.json profile.json
  cp "$root"/tests/traces/_nsys.sqlite nsys.sqlite
  cp "$root"/tests/traces/_graph_0.json graph_0.json
  cp "$root"/tests/traces/_graph_1.json graph_1.json
  printf 'let   a=1\n' >some.ts
  printf 'launch,layers,step_s\n6 us,1,0.0011\n60 us,2,0.0032\n' >measured.csv
  sed 's/^  host/  calibration = calibrated("fitted.json")\n  host/' plan.ts >calibrated.ts
  trainspec calibrate -o fitted.json plan.ts measured.csv >/dev/null || exit 4
  trainspec db add --db kept.db --device a100 ops.csv >/dev/null || exit 4
  sed 's/table "_ops.csv"/db("kept.db")/' plan.ts >db_plan.ts
  for f in 1 2; do trainspec sweep --shard $f/2 --journal part.$f --vary layers=[1,2] plan.ts >/dev/null 2>&1 || exit 4; done
  cp part.1 into.db
  trainspec lock plan.ts 2>/dev/null || exit 4
  cp plan.ts moved.ts; trainspec lock moved.ts 2>/dev/null || exit 4 # its old content is in git
  git init -q --template= . && git add moved.ts && sed -i 's/layers: Int = 2/layers: Int = 3/' moved.ts
  awk '{ printf "Content-Length: %d\r\n\r\n%s", length($0), $0 }' "$root/tests/cli/_lsp.jsonl" >session
}

# ---- One run ----

fresh() { # every run finds the inputs, and old files where it writes
  rm -rf "$work/here"
  cp -r "$work/inputs" "$work/here"
  cd "$work/here" || exit 4
  local f
  for f in $outputs; do [ -e "$f" ] || [[ $f = *.db ]] || printf 'old\n' >"$f"; done
}

finding() { # WHERE WHAT
  findings=$((findings + 1))
  echo "FINDING $name, $1: $2 (exit $status)"
  sed 's/^/  | /' "$work/err" | head -n 3
}

whole() { # FILE: the old one or the new one
  if [ ! -e "$work/here/$1" ]; then [ ! -e "$work/inputs/$1" ] && [[ $1 = *.db ]]; return; fi
  case $1 in rows.db) database "$1"; return ;; *.db) journal "$1"; return ;; esac
  cmp -s "$work/here/$1" "$work/reference/$1" || cmp -s "$work/here/$1" "$work/inputs/$1" || [ "$(cat "$work/here/$1")" = old ]
}

database() { # as it was, which is not there or empty, and can be made; or with all rows
  local rows
  rm -rf "$work/copy"; mkdir "$work/copy"; cp "$work/here/$1"* "$work/copy"
  rows=$(trainspec db list --db "$work/copy/$1" 2>/dev/null) || rows=
  case $rows in *ops.csv*) [ "$rows" = "$(cat "$work/reference/$1.list")" ] ;; *) trainspec db add --db "$work/copy/$1" --device a100 ops.csv >/dev/null 2>&1 ;; esac
}

rows_of() { # JOURNAL: all of its rows, once what a kill left is taken back
  rm -rf "$work/copy"; mkdir "$work/copy"; cp "$1"* "$work/copy"
  python3 -c 'import sqlite3, sys; print("\n".join(sqlite3.connect(sys.argv[1]).iterdump()))' "$work/copy/${1##*/}"
}

journal() { # all rows of the new one, or those that it had before
  local rows
  rows=$(rows_of "$work/here/$1") && { [ "$rows" = "$(rows_of "$work/reference/$1")" ] ||
    { [ -e "$work/inputs/$1" ] && [ "$rows" = "$(rows_of "$work/inputs/$1")" ]; }; }
}

judge() { # WHERE [ended by a signal of ours]
  local f
  tried=$((tried + 1))
  for f in $outputs; do whole "$f" || finding "$1" "$f is neither old nor new"; done
  f=$(find "$work/here" -name '.trainspec.*' -o -name '*.part')
  [ -z "$f" ] || [ "${2:-}" = KILL ] || { [ "$name" = library ] && [ -n "${2:-}" ]; } || finding "$1" "left behind: ${f##*/}"
  if [ "$status" = "$expected" ]; then
    [ "$name" = editor ] || cmp -s "$work/out" "$work/reference/stdout" || [ -n "${3:-}" ] || grep -q " refused: " "$work/out" || finding "$1" "another output" # a sweep tells what it left out
    for f in $outputs; do [[ $f = *.db ]] || cmp -s "$work/here/$f" "$work/reference/$f" || finding "$1" "$f is not written"; done
  elif [ "$status" = 70 ] || [ "$status" = 124 ] || [ "$status" -ge 128 ]; then
    [ -n "${2:-}" ] && [ "$status" -gt 128 ] && [ "$status" -le 143 ] || finding "$1" "crash, hang or bug"
  else
    [ -s "$work/err" ] || [ -n "${3:-}" ] || finding "$1" "no message"
  fi
}

run() { # PREFIX...: the command behind it
  { timeout -k 5 60 "$@" "${words[@]}" >"$work/out" 2>"$work/err" <"$input"; } 2>/dev/null
  status=$?
}

# Numbers 1 to COUNT, or so many of them: spread evenly, and the last ones, where files are written.
some() { # COUNT
  if [ "$points" = 0 ] || [ "$1" -le $((2 * points)) ]; then
    seq 1 "$1"
  else
    awk -v n="$1" -v p="$points" 'BEGIN {
      for (i = 0; i < p; i++) print int(1 + i * (n - p - 1) / (p > 1 ? p - 1 : 1))
      for (i = n - p + 1; i <= n; i++) print i
    }'
  fi
}

# ---- What fails ----

# Not failed: what only the loader and the C library do before a program begins, and calls that only tidy up.
untried='exit|exit_group|execve|arch_prctl|set_.*|rt_sig.*|prlimit64|rseq|wait4|kill|tgkill|getpid|gettid|futex|brk|mmap|munmap|mprotect|madvise|poll|unlink|close|sendto|fchmod|access|prctl|clone3|clone'

memory() {
  local n all count
  head -c 8 /dev/zero >"$work/count"
  fresh
  run env REFUSE_COUNT="$work/count" LD_PRELOAD="$work/refuse.so"
  count=$(od -An -t u8 "$work/count" | tr -d ' ')
  for all in "" 1; do
    for n in $(some "$count"); do
      head -c 8 /dev/zero >"$work/count"
      fresh
      run env REFUSE_COUNT="$work/count" REFUSE_AT="$n" ${all:+REFUSE_ALL=1} LD_PRELOAD="$work/refuse.so"
      judge "memory ${all:+from }$n"
    done
  done
}

error_of() { # SYSTEM-CALL: what it may fail with
  case $1 in
  write | pwrite64 | fsync | fdatasync | ftruncate | rename) echo ENOSPC ;;
  openat | openat2 | socketpair | dup | fcntl) echo EMFILE ;;
  *) echo EIO ;;
  esac
}

system_calls() {
  local call n count
  fresh
  run strace -f -qq -o "$work/calls"
  for call in $(sed -E 's/^[0-9]+ +//' "$work/calls" | grep -oE '^[a-z0-9_]+\(' | tr -d '(' | sort | uniq -c | awk '{ print $2 ":" $1 }'); do
    count=${call#*:} call=${call%:*}
    [[ ! $call =~ ^($untried)$ ]] || continue
    for n in $(some "$count"); do
      fresh
      run strace -f -qq -o /dev/null -e inject="$call:error=$(error_of "$call"):when=$n"
      judge "$call $n"
    done
  done
}

signals() {
  local n signal begin took wait
  fresh
  begin=$(date +%s%N)
  run env
  took=$((($(date +%s%N) - begin) / 1000))
  for signal in INT TERM KILL; do
    for n in $(some 20); do
      wait=$(awk -v t="$took" -v n="$n" 'BEGIN { printf "%.6f", t * n / 20e6 }')
      fresh
      run timeout --preserve-status -s "$signal" "$wait"
      judge "SIG$signal after $wait s" "$signal"
      [ "$signal" = KILL ] || continue
      find "$work/here" -name '.trainspec.*' -delete
      run env # what was killed can be done again
      judge "again after SIGKILL" "" any
    done
  done
}

outputs_closed() {
  local kind
  for kind in '>/dev/full' '>&-' '2>&-' '>/dev/full 2>/dev/full' '<&-'; do
    fresh
    timeout -k 5 60 bash -c "$command $kind" <"$input" >"$work/out" 2>"$work/err"
    status=$?
    judge "$kind" "" any
    [ "$kind" != '>/dev/full' ] || [ ! -s "$work/reference/stdout" ] || [ $status != 0 ] || finding "$kind" "exit 0 though nothing was printed"
  done
  fresh
  timeout -k 5 60 bash -c "trap '' XFSZ; ulimit -f 1; $command" <"$input" 2>&1 >"$work/out" | cat >"$work/err" # files end after 1 KiB
  status=${PIPESTATUS[0]}
  judge "full disk" "" any
}

# ---- All ----

wanted=" $* "
inputs
while IFS='|' read -r name outputs command; do
  name=${name// /} input=/dev/null
  case $command in *'<'*) input=${command##*<} command=${command%<*} ;; esac
  read -ra words <<<"$command"
  case $name in '#'* | '') continue ;; esac
  [ "$wanted" = "  " ] || [[ $wanted = *" $name "* ]] || continue
  fresh
  run env
  expected=$status # a check that refuses is undisturbed, too
  [ $status -le 1 ] || { finding "undisturbed" "fails"; continue; }
  rm -rf "$work/reference"; cp -r "$work/here" "$work/reference"; cp "$work/out" "$work/reference/stdout"
  case $outputs in *rows.db*) trainspec db list --db "$work/reference/rows.db" >"$work/reference/rows.db.list" ;; esac
  before=$tried found=$findings
  memory
  case $name in
    hook-*) ;; # the calls of the shell would fail
    *) if command -v strace >/dev/null; then system_calls; else skipped=yes; fi ;;
  esac
  signals
  outputs_closed
  printf '%-13s %6d cases, %d findings\n' "$name" $((tried - before)) $((findings - found))
done < <(grep -v '^#' "$root/tests/torture/cases")
[ -z "${skipped:-}" ] || echo "skipped: failing system calls need strace"
echo "$((tried - findings)) passed, $findings failed, 0 skipped"
[ $findings = 0 ]
