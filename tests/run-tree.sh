#!/usr/bin/env bash
# Promises about the source tree itself, and about what the library shows of it, reported as TAP.
. "$(dirname "$0")/tap.sh"
build=$(cd "${top_builddir:-build}" 2>/dev/null && pwd)
cd "${top_srcdir:-.}" || exit 1
LC_ALL=C

# Without what flex, bison and embed.sh made, which a release holds.
c_files=$(find base lang ir cost compiler trace calibrate runtime library tools '(' -name '*.[chly]' -o -name '*.def' ')' \
  ! -path 'lang/grammar.[ch]' ! -path lang/lexer.c ! -path 'base/toml_grammar.[ch]' ! -path base/toml_scan.c ! -path compiler/eval/stdlib_embed.c | sort)

# Domain knowledge lives in stdlib/, in the language. Comments may name examples; code and messages may not.
code() { for f in $c_files; do sed -E "s:/\*([^*]|\*[^/])*\*/::g; s:(//|/\*).*::; s:^ *\*.*::; s:^:$f\: :" "$f"; done; }
report "no model, schedule, strategy or machine is named in C" "$(code | grep -Eiw \
  'gpt[0-9_]*|llama[0-9_]*|resnet[0-9]*|vgg[0-9]*|mixtral|deepseek|qwen[0-9]*|gemma[0-9]*|t5|bert|densenet[0-9]*|[vahb]100|[abh][28]00|gpipe|1f1b|one_f_one_b|interleaved|megatron|adamw?|zero[123]|fsdp|dgx')"

report "no path of a machine in what ships" "$(grep -rnE '/(work|root|home|tmp/bash)[/_]' \
  base lang ir cost compiler trace calibrate runtime library tools stdlib examples doc share packages/python --exclude-dir=node_modules --exclude-dir=dist -I)"

report "no file is more than one idea" "$(wc -l $c_files | awk '$2 != "total" && $1 > 900 { print $2 ": " $1 " lines" }')"

# A formula, a message and the head of a table may be wider; grammar and tables of .def files are.
report "lines of C keep to 100 columns" "$(awk 'length > 100 && !/^ \* \(`|^#|"/ { print FILENAME ":" FNR ": " length " columns" }' \
  $(printf '%s\n' $c_files tests/accuracy/*.[ch] runtime/*/*.cc | grep -E '\.(cc|[ch])$'))"

# Rooms: doc/architecture.md has the table.
report "files include what the table of rooms allows" "$(awk -f tests/rooms.awk doc/architecture.md $c_files)"

report "the source uses the words of doc/architecture.md" "$(sed -nE '/^## Words/,/^## Decisions/s/^\| ([a-z].*) \| .*/\1/p' doc/architecture.md | tail -n +2 | sed 's/ of a .*//; s/, /\n/g' |
  while read -r word; do grep -riqE "\<${word// /[ _]}\>" $c_files stdlib || echo "nothing is called: $word"; done)"

report "a file says in its first line what it is" "$(for f in $c_files; do case $f in *.[ch]) ;; *) continue ;; esac
  { [ "${f%.c}" = "$f" ] || [ ! -f "${f%.c}.h" ]; } && [ "$(head -c 2 "$f")" != '/*' ] && echo "$f"; done)"

# Names mean one thing in all rooms: the headers of the house can be included together.
headers=$(printf '%s\n' $c_files | grep '\.h$')
read -r compiler _ <<<"${CC:-cc}"
if command -v "$compiler" >/dev/null && [ -f "$build/lang/grammar.h" ]; then
  report "all headers compile together" "$(printf '#include "%s"\n' $headers | ${CC:-cc} -std=c17 -D_XOPEN_SOURCE=700 -I. -I"$build" \
    $(pkg-config --cflags libcjson 2>/dev/null) -x c -fsyntax-only - 2>&1 | grep error)"
else
  skip "all headers compile together" "no compiler"
fi

# A tag of the house is defined once; in C two files may give one name to two things, and whoever reads or debugs them takes one for the other.
report "a struct's tag means one thing" "$(grep -nE '^(typedef )?(struct|union|enum) ts_[a-z_0-9]+ \{' $c_files | \
  sed -E 's/^([^:]*:[0-9]+):(typedef )?(struct|union|enum) (ts_[a-z_0-9]+) .*/\4 \1/' | sort | awk '{ split($2, place, ":") } $1 == tag && place[1] != file { print tag ": " file ", " $2 } { tag = $1; file = place[1] }')"

# All files are written by base/output.c: whole or not at all, beside their place, streams as streams.
report "files are written by base/output.c only" "$(grep -nE '\<(fopen|freopen|gzopen)\(.*"[wa]|\<(mkstemp|mkostemp|rename|creat|tmpfile|truncate)\(|O_(WRONLY|RDWR|CREAT)' \
  $(printf '%s\n' $c_files | grep -vx base/output.c))"

# Memory comes from base/heap.c, which nobody can forget to check.
report "memory is asked for in base/heap.c only" "$(grep -nE '\<(malloc|calloc|realloc|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign|open_memstream|realpath|getline|getdelim)\(' \
  $(printf '%s\n' $c_files | grep -vx base/heap.c) | grep -vE ':[0-9]+: *(/?\*|//)')"

# SQLite files of strangers are opened with distrust, and their statements have a budget: base/sqlite.c. None runs where nobody counts.
report "SQLite files are opened and read by base/sqlite.c only" "$(grep -nE '\<sqlite3_(open|open_v2|open16|prepare|prepare_v[23]|step|reset|exec|get_table|backup_init|deserialize|blob_open)\(|count\(\*\)|ATTACH ' \
  $(printf '%s\n' $c_files | grep -vE '^base/sqlite\.[ch]$'))"

# Strings are printed by base/escape.h. Besides itself: what draws messages for terminals, patches of sources, and bytes of files.
report "no string is printed raw" "$(for f in $c_files; do awk -f tests/raw-strings.awk "$f"; done | grep -vE \
  '^base/(escape|diag_render|text_diff)\.c|^(base/output|trace/write/(export|chakra|goal_binary)|tools/(tsc|tsfmt)_main)\.c: fwrite')"

# SECURITY.md lists where files of others could act, a door a row: those that the tree has, and no others.
doors() {
  awk -f tests/doors.awk $c_files $(find packages/python/trainspec packages/tracer/trainspec_profile packages/tracer/trainspec_tracer packages/playground share -name node_modules -prune -o -type f \
    '(' -name '*.py' -o -name '*.js' -o -name '*.html' -o -name '*.sh' -o -path 'share/pre-commit/*' -o -path 'share/*completion/*' -o -path 'share/zsh/*' -o -path 'share/fish/*' ')' -print |
    grep -vE '^(share/(oss-fuzz|tree-sitter|vscode/(dist|test))|share/syntax.sh|packages/playground/(build.sh|dist))')
  for f in $c_files; do awk -f tests/raw-strings.awk "$f"; done | sed -nE 's/^([^:]+):.*/text \1/p' | sort -u
}
report "SECURITY.md lists every door" "$(diff <(doors | sort -u) \
  <(sed -nE 's/^\| (program|code|database|file|page|text) \| ([^|]*) \|.*/\1 \2/p' SECURITY.md | tr -d '`' | awk '{ for (i = 2; i <= NF; i++) print $1, $i }' | sort -u) | sed -n 's/^</missing in SECURITY.md:/p; s/^>/no longer there:/p')"

report "tests/which.py knows the rooms and the tests" "$(python3 tests/which.py --check 2>&1)"

report "schemas, manuals and docs know the figures of a step" "$(python3 base/figures.py --check 2>&1)"

report "syntax files of editors know the keywords of the language" "$(share/syntax.sh --check 2>&1)"

if command -v dpkg-query >/dev/null && [ -e .git ]; then
  report "programs that scripts call belong to packages that ./dev installs" "$(python3 tests/programs.py 2>&1)"
else
  skip "programs that scripts call belong to packages that ./dev installs" "no Debian, or no git"
fi

# What `--update` takes may be a failure; these are what cases print of their own.
report "no golden holds a failure" "$(grep -rnE '^shown and not printed by|IS NOT within|^no answer within|: import [0-9]+, init |^exit 1(24|3[49])$|Sanitizer|command not found' tests --include='*.out')"

library=$build/libtrainspec.so
if [ -f "$library" ]; then
  report "the functions of trainspec.h leave the library, and nothing else" "$(diff <(nm -D --defined-only "$library" 2>&1 | awk '$2 != "A" { sub(/@.*/, "", $NF); print $NF }' | sort -u) \
    <(grep -oE '\<trainspec_[a-z_]+\(' library/trainspec.h | tr -d '(' | sort -u) | grep '^[<>]')"
else
  skip "the functions of trainspec.h leave the library, and nothing else" "no shared library"
fi

# The file lists can only be compared where git knows the files.
if [ -e .git ] && command -v git >/dev/null; then
  report "file lists in the fragments match the tree" "$(./dev sources --check 2>&1)"
else
  skip "file lists in the fragments match the tree" "not a git checkout"
fi

summary
