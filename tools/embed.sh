#!/bin/sh
# embed.sh SRCDIR stdlib/FILE...: prints the C file that holds these files; see compiler/eval/stdlib_embed.h.
set -eu
LC_ALL=C; export LC_ALL
srcdir=$1; shift

echo '/* Made by tools/embed.sh from stdlib/. */'
echo '#include "compiler/eval/stdlib_embed.h"'
i=0
for file in "$@"; do
  echo
  echo "static const unsigned char file_$i[] = {"
  od -An -v -tu1 "$srcdir/$file" | ${AWK:-awk} '{ gsub(/^ +| +$/, ""); gsub(/ +/, ","); print $0 "," }'
  echo '0};'
  i=$((i + 1))
done
echo
echo 'const ts_embedded_file ts_stdlib_files[] = {'
i=0
for file in "$@"; do
  echo "  {\"${file#stdlib/}\", file_$i, sizeof file_$i - 1},"
  i=$((i + 1))
done
echo '};'
echo "const size_t ts_stdlib_file_count = $i;"
