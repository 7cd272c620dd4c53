#!/usr/bin/env bash
# The grammar of editors (share/tree-sitter) reads every file that the parser reads, and no file that it refuses for its brackets.
. "$(dirname "$0")/tap.sh"
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd)
command -v tree-sitter >/dev/null || skip_all "no tree-sitter: Debian 13 has tree-sitter-cli"
command -v node >/dev/null || skip_all "no node, which tree-sitter reads grammars with"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export XDG_CACHE_HOME=$scratch/cache XDG_CONFIG_HOME=$scratch/config
mkdir -p "$scratch/config/tree-sitter"
printf '{"parser-directories": ["%s"]}' "$scratch" >"$scratch/config/tree-sitter/config.json"
cp -r "$root/share/tree-sitter" "$scratch/tree-sitter-trainspec"
cd "$scratch/tree-sitter-trainspec" || exit 1
made=$(tree-sitter generate 2>&1) && made=
report "the grammar is made without conflicts" "$made"
read_by_grammar() { [ -z "$(tree-sitter parse -q --scope source.trainspec "$@" 2>/dev/null)" ]; }
report "it reads the files that the parser reads" "$(find "$root/stdlib" "$root/examples" "$root/tests" -name '*.ts' -o -name '*.trainspec' | sort | while read -r file; do
  "$build/tsfmt" --diagnostics json "$file" 2>&1 >/dev/null | grep -q '"E01' || printf '%s\n' "$file"
done >"$scratch/files"
  tree-sitter parse -q --scope source.trainspec --paths "$scratch/files" 2>/dev/null)"
[ "$(wc -l <"$scratch/files")" -ge 500 ] && enough= || enough="only $(wc -l <"$scratch/files")"
report "which are hundreds" "$enough"
printf 'plan p {\n  model = gpt(layers: 4\n}\n' >"$scratch/open.trainspec"
printf 'schedule s(p: Axis) { stages p of }\n' >"$scratch/short.trainspec"
report "it marks what the parser refuses" "$(for file in open short; do
  read_by_grammar "$scratch/$file.trainspec" && echo "$file.trainspec is read"
done)"
cat >"$scratch/units.trainspec" <<'END'
let a = 4 GB/s
let b = 4 s/a
let c = $2/h
schedule s(p: Axis) {
  stages 4
  order from "x"
  slow F(i) at 3 by 2 where i > 1
  partner F(i) at s with B(i) at s + 1
}
let d = { k: 3 } with { k = 4 MiB }
END
found=$(tree-sitter query queries/highlights.scm "$scratch/units.trainspec" 2>/dev/null | sed -n 's/.*type.unit.*text: `\(.*\)`/\1/p' | tr '\n' ' ')
[ "$found" = "GB/s s /h MiB " ] && found=
report "units are told from names" "$found"
for queries in queries/*.scm; do
  wrong=$(tree-sitter query "$queries" "$root/examples/gpt3_175b.ts" 2>&1 >/dev/null | head -n 3)
  report "$queries names what the grammar has" "$wrong"
done
summary
