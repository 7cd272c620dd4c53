#!/usr/bin/env bash
# What the engine needs to be built for browsers (./dev wasm): build.sh FOLDER. Into FOLDER come emscripten's
# C library, built for 64-bit pointers, and the libraries that TrainSpec uses, from Debian's sources. Nothing is
# installed. FOLDER/environment is for shells that build with it; FOLDER/stamp is written when all is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
cd "$1"
at=$PWD
flags="-O2 -sMEMORY64=2" # 64-bit pointers in the program, 32-bit ones in the module that binaryen makes of it
made=$(cat "$here/build.sh" "$here/absent.c" | sha256sum) # times of files say little after a checkout
[ "$(cat stamp 2>/dev/null)" != "$made" ] || exit 0

# emscripten of Debian keeps no cache of its own and asks node for a switch that is gone; its modules of node
# are where Debian's node looks.
mkdir -p bin prefix/include/gsl prefix/include/cjson prefix/lib objects
cat >bin/node <<SCRIPT
#!/bin/sh
[ "\$1" != --experimental-wasm-bigint ] || shift
NODE_PATH=\${NODE_PATH:-/usr/share/nodejs} exec $(command -v node) "\$@"
SCRIPT
chmod +x bin/node
cat >environment <<SCRIPT
export EM_NODE_JS=$at/bin/node EM_CACHE=$at/cache EM_FROZEN_CACHE=
SCRIPT
. ./environment

# Sources of this Debian, without a change to the machine's own lists: with its updates or, where a mirror lacks
# some, as the release has them.
fetch() {
  local apt without
  apt="apt-get -qq -o Dir::Etc::SourceList=$at/apt/sources.list -o Dir::Etc::SourceParts=- -o Dir::State::Lists=$at/apt/lists
    -o Dir::Cache=$at/apt -o APT::Sandbox::User="
  for without in '^$' 'security|updates'; do
    rm -rf sources apt
    mkdir -p sources apt/lists/partial apt/archives/partial
    apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' | grep -Ev "$without" | sort -u >apt/sources.list
    if $apt update && (cd sources && $apt source "$@" >/dev/null); then
      : >sources/fetched
      return
    fi
  done
  echo "playground: apt-get source $* fails" >&2
  exit 4
}
[ -e sources/fetched ] || fetch cjson expat libmd zlib gsl
source_of() { echo "$at"/sources/"$1"-[0-9]*/; }

# library NAME FLAGS FILE...: libNAME.a of these files.
library() {
  local name=$1 more=$2 file objects=()
  shift 2
  for file; do
    emcc $flags -w $more -c "$file" -o "objects/$name-$(basename "$file" .c).o"
    objects+=("objects/$name-$(basename "$file" .c).o")
  done
  emar rcs "prefix/lib/lib$name.a" "${objects[@]}"
}
: >objects/config.h
: >objects/expat_config.h
cjson=$(source_of cjson) expat=$(source_of expat)expat/lib md=$(source_of libmd) zlib=$(source_of zlib) gsl=$(source_of gsl)
cp "$cjson/cJSON.h" prefix/include/cjson/
cp "$expat/expat.h" "$expat/expat_external.h" "$md"/include/sha{1,2}.h "$zlib/zlib.h" "$zlib/zconf.h" prefix/include/
library cjson "" "$cjson/cJSON.c"
library expat "-Iobjects -DHAVE_MEMMOVE -DXML_DTD -DXML_NS -DXML_CONTEXT_BYTES=1024 -DBYTEORDER=1234 -DXML_POOR_ENTROPY" \
  "$expat"/xml{parse,role,tok}.c
library md "-Iobjects -I$md/include -I$md/src" "$md"/src/sha{1,1hl,2}.c
library z -DHAVE_UNISTD_H "$zlib"/{adler32,compress,crc32,deflate,gzclose,gzlib,gzread,gzwrite,infback,inffast,inflate,inftrees,trees,uncompr,zutil}.c

# Comparisons of long doubles return an int, as the compiler takes it; emscripten 3.1.6 builds its own for 64 bits
# with a long, and a module that calls those ends there.
library compare -D__aarch64__ "$(em-config EMSCRIPTEN_ROOT)"/system/lib/compiler-rt/lib/builtins/comparetf2.c
library absent "" "$here/absent.c"

# Of GSL those folders that are used: all of it takes ten times as long.
mkdir -p gsl
cd gsl
[ -f Makefile ] || CC=emcc AR=emar RANLIB=emranlib CFLAGS="$flags" "$gsl/configure" --quiet --host=wasm64-unknown-linux --disable-shared \
  --disable-dependency-tracking >configure.log 2>&1
make -s -C gsl >/dev/null
folders="err sys block vector matrix permutation complex utils cblas blas linalg multimin min sort statistics poly"
for folder in $folders; do make -s -C $folder >>make.log 2>&1; done
cp -L gsl/*.h ../prefix/include/gsl/
rm -f ../prefix/lib/libgsl.a
emar rcs ../prefix/lib/libgsl.a $(for folder in $folders; do echo $folder/*.o; done)
cd ..
echo "$made" >stamp
