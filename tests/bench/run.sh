#!/usr/bin/env bash
# Speed figures and what limits them: run.sh BUILD-FOLDER [NAME...]. Builds tests/bench/bench_NAME.c against the library and runs it.
set -eu
export LC_ALL=C
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:?usage: run.sh BUILD-FOLDER [NAME...]}" && pwd)
shift
libs=$(make -C "$build" --no-print-directory -s print-libs)
mkdir -p "$build/tests/bench"
if [ $# = 0 ]; then
  for file in "$root"/tests/bench/bench_*.c; do
    name=${file##*/bench_}
    set -- "$@" "${name%.c}"
  done
fi
for name in "$@"; do
  program=$build/tests/bench/bench_$name
  "${CC:-cc}" -std=c17 -D_XOPEN_SOURCE=700 -O2 -I"$root" -o "$program" \
    "$root/tests/bench/bench_$name.c" "$root/tests/unit/engine_plan.c" "$build/libts.a" $libs
  echo "== $name"
  "$program" "$build"
done
