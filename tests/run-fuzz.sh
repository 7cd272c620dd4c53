#!/usr/bin/env bash
# Replays the corpus of every fuzz target, reported as TAP.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
cd "$root/tests/fuzz" || exit 1
for source in fuzz_*.c; do
  target=${source%.c}
  [ -x "$build/tests/fuzz/$target" ] || continue
  files=()
  for file in "corpus/$target"/*; do [ ! -f "$file" ] || files+=("$file"); done
  if output=$(timeout "${TS_TEST_TIMEOUT:-300}" "$build/tests/fuzz/$target" "${files[@]}" 2>&1); then
    report "$target: ${#files[@]} inputs"
  else
    report "$target" "$(printf '%s\n' "${output:-no message}" | tail -n 60)"
  fi
done
# Files of another format are refused at once, and their mutants too: nothing behind the head would be tried.
if [ $number != 0 ] && [ -x "$build/tsc" ]; then
  stale=
  for file in corpus/fuzz_ir/*.ir; do "$build/tsc" --emit=text -o - "$file" >/dev/null 2>&1 || stale="$stale ${file##*/}"; done
  report "the IRs of the corpus are of this format" "${stale:+compile them again: tsc -o NAME.ir NAME.tsir:$stale}"
fi
[ $number != 0 ] || skip_all "no fuzz target"
summary
