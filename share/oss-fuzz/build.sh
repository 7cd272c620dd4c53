#!/bin/bash -eu
# Builds the fuzz targets into $OUT, each with its corpus. Targets run in another image, so libraries are linked statically, ours and those of others.
# OSS-Fuzz sets CC, CFLAGS (with the instrumentation), LIB_FUZZING_ENGINE, SRC, WORK and OUT.
mkdir -p "$WORK/trainspec" "$WORK/cjson"
cp "$SRC/cJSON/cJSON.h" "$WORK/cjson/"
$CC $CFLAGS -c "$SRC/cJSON/cJSON.c" -o "$WORK/cjson/cJSON.o" # Debian has no static library of it
ar rcs "$WORK/cjson/libcjson.a" "$WORK/cjson/cJSON.o"
cd "$SRC/trainspec"
autoreconf --install
cd "$WORK/trainspec"
"$SRC/trainspec/configure" --enable-fuzzing --disable-shared CJSON_CFLAGS=-I"$WORK" CJSON_LIBS="$WORK/cjson/libcjson.a -lm"
make -s -j"$(nproc)" bin_PROGRAMS= noinst_PROGRAMS= SQLITE_LIBS=-l:libsqlite3.a YAML_LIBS=-l:libyaml.a EXPAT_LIBS=-l:libexpat.a FFI_LIBS=-l:libffi.a MD_LIBS=-l:libmd.a ZLIB_LIBS=-l:libz.a \
  GSL_LIBS="-l:libgsl.a -l:libgslcblas.a"
for source in "$SRC"/trainspec/tests/fuzz/fuzz_*.c; do
  target=$(basename "$source" .c)
  cp "tests/fuzz/$target" "$OUT/"
  zip -qj "$OUT/${target}_seed_corpus.zip" "$SRC/trainspec/tests/fuzz/corpus/$target"/*
done
