#!/usr/bin/env bash
# What the build makes and how it is made, reported as TAP: hardened programs, one target alone in a fresh folder, no 32-bit build.
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
unset MAKEFLAGS MAKELEVEL MFLAGS
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd) || exit 1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

lacks() { # FILE WHAT OPTIONS PATTERN
  readelf "$3" "$1" 2>/dev/null | grep -Eq "$4" || echo "${1##*/}: no $2"
}

# Each of them where configure found that compiler and linker have it.
hardening() {
  local flags file
  flags=$(sed -n -e 's/^TS_CFLAGS = //p' -e 's/^TS_LDFLAGS = //p' -e 's/^CFLAGS = //p' "$build/Makefile")
  for file in "$build"/{tsc,tsrun,tsfmt,trainspec,libtrainspec.so}; do
    [ -f "$file" ] || continue
    [[ $flags != *-z,relro* ]] || lacks "$file" RELRO -lW 'GNU_RELRO'
    [[ $flags != *-z,now* ]] || lacks "$file" BIND_NOW -dW 'BIND_NOW|FLAGS_1.*NOW'
    [[ $flags != *-pie* || $file = *.so ]] || lacks "$file" PIE -dW 'FLAGS_1.*PIE'
  done
  file=$build/libtrainspec.so
  [ -f "$file" ] || return 0
  [[ $flags != *-fstack-protector-strong* ]] || lacks "$file" "stack protector" -sW '__stack_chk_fail'
  [[ $flags != *-D_FORTIFY_SOURCE* || $flags = *-O0* ]] || lacks "$file" "checked functions" -sW '__[a-z]+_chk'
}

if command -v readelf >/dev/null && readelf -hW "$build/tsc" >/dev/null 2>&1; then
  report "programs and library are hardened" "$(hardening)"
else
  skip "programs and library are hardened" "no readelf"
fi

# What is installed works on its own, and goes again.
install_works() {
  make -C "$build" --no-print-directory install "DESTDIR=$scratch/installed" >"$scratch/install.log" 2>&1 || { tail -n 3 "$scratch/install.log"; return; }
  local programs
  programs=$(dirname "$(find "$scratch/installed" -name tsrun -perm -u+x -type f)")
  "$programs/tsrun" --version >/dev/null 2>"$scratch/said" || cat "$scratch/said"
  [ "$(find "$scratch/installed" -name tsrun.fish -type l -exec readlink {} +)" = trainspec.fish ] || echo "no completion of tsrun for fish"
  make -C "$build" --no-print-directory uninstall "DESTDIR=$scratch/installed" >"$scratch/install.log" 2>&1 || tail -n 3 "$scratch/install.log"
  find "$scratch/installed" ! -type d
}
report "make install and make uninstall" "$(install_works)"

if [ -x "$root/configure" ] && [ ! -f "$root/config.status" ]; then
  mkdir "$scratch/fresh"
  if (cd "$scratch/fresh" && "$root/configure" --quiet >configure.log 2>&1); then
    # Before the first object that includes it; a release brings it along.
    [ -f "$root/lang/grammar.h" ] || report "an object asks for the grammar's header, in a fresh folder" \
      "$(make -C "$scratch/fresh" -n lang/format.o 2>&1 | grep -q 'grammar\.y' || echo "lang/format.o is compiled without lang/grammar.h")"
  else
    report "configures in a fresh folder" "$(tail -n 5 "$scratch/fresh/configure.log")"
  fi
  if echo 'int main(void) { return 0; }' | gcc -m32 -x c - -o "$scratch/narrow" 2>/dev/null; then
    mkdir "$scratch/32"
    report "a 32-bit build is refused by configure" "$(cd "$scratch/32" && CC="gcc -m32" "$root/configure" --quiet 2>&1 |
      grep -q 'error: TrainSpec needs a 64-bit machine' || echo "configure does not say that it needs a 64-bit machine")"
  else
    skip "a 32-bit build is refused by configure" "no 32-bit compiler"
  fi
fi
summary
