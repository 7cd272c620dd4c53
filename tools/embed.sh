#!/bin/sh
# embed.sh NAME HEADER SRCDIR FILE...: prints the C file that holds these files as NAME_files, which HEADER declares: those of stdlib/ by their
# names below it, others by their own.
set -eu
LC_ALL=C; export LC_ALL
name=$1 header=$2 srcdir=$3; shift 3

echo '/* Made by tools/embed.sh. */'
echo "#include \"$header\""
i=0
for file in "$@"; do
  echo
  echo "static const unsigned char file_$i[] = {"
  od -An -v -tu1 "$srcdir/$file" | ${AWK:-awk} '{ gsub(/^ +| +$/, ""); gsub(/ +/, ","); print $0 "," }'
  echo '0};'
  i=$((i + 1))
done
echo
echo "const ts_embedded_file ${name}_files[] = {"
i=0
for file in "$@"; do
  echo "  {\"${file#stdlib/}\", file_$i, sizeof file_$i - 1},"
  i=$((i + 1))
done
echo '};'
echo "const size_t ${name}_file_count = $i;"
