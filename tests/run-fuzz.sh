#!/usr/bin/env bash
# Replays the corpus of every fuzz target, reported as TAP.
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
cd "$root/tests/fuzz" || exit 1
number=0
for source in fuzz_*.c; do
  target=${source%.c}
  [ -x "$build/tests/fuzz/$target" ] || continue
  number=$((number + 1))
  files=()
  for file in "corpus/$target"/*; do [ ! -f "$file" ] || files+=("$file"); done
  if output=$(timeout "${TS_TEST_TIMEOUT:-300}" "$build/tests/fuzz/$target" "${files[@]}" 2>&1); then
    echo "ok $number - $target: ${#files[@]} inputs"
  else
    printf '%s\n' "$output" | tail -n 60 | sed 's/^/# /'
    echo "not ok $number - $target"
  fi
done
# Files of another format are refused at once, and their mutants too: nothing behind the head would be tried.
if [ $number != 0 ] && [ -x "$build/tsc" ]; then
  number=$((number + 1)) stale=
  for file in corpus/fuzz_ir/*.ir; do "$build/tsc" --emit=text -o - "$file" >/dev/null 2>&1 || stale="$stale ${file##*/}"; done
  if [ -z "$stale" ]; then echo "ok $number - the IRs of the corpus are of this format"
  else echo "# compile them again: tsc -o NAME.ir NAME.tsir:$stale"; echo "not ok $number - the IRs of the corpus are of this format"; fi
fi
if [ $number = 0 ]; then echo "1..0 # SKIP no fuzz target"; else echo "1..$number"; fi
