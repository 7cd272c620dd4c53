#!/usr/bin/env bash
# Writes the syntax files of editors from the keywords of the language. --check: says which are out of date instead.
set -e
cd "$(dirname "$0")/.."
keywords() { sed -nE "s/^$1\([A-Z0-9]+, \"([a-z0-9]+)\"\).*/\1/p" lang/keywords.def; }
types=$(sed -nE 's/^(TYPE|RECORD)\(([A-Za-z]+)[,)].*/\2/p' compiler/eval/types.def compiler/plan/records.def)
units=$(sed -nE 's/^UNIT\("([A-Za-z]+)",.*/\1/p' lang/units.def)
line() { tr '\n' ' ' | sed 's/ $//'; }
either() { tr '\n' '|' | sed 's/|$//'; }

vim() {
  cat <<END
" Syntax of TrainSpec. Made by share/syntax.sh.
if exists('b:current_syntax')
  finish
endif
syn case match
syn match trainspecComment '//.*\$' contains=@Spell
syn region trainspecString start='"' skip='\\\\.' end='"' oneline
syn match trainspecNumber '\\<\\d[0-9_]*\\(\\.\\d\\+\\)\\?\\([eE][-+]\\?\\d\\+\\)\\?\\>'
syn match trainspecUnit '\\(\\d\\s*\\)\\@<=\\<\\($(either <<<"$units" | sed 's/|/\\|/g')\\)\\(/s\\)\\?\\>'
syn keyword trainspecReserved $(keywords RESERVED | line)
syn keyword trainspecWord $(keywords CONTEXTUAL | line)
syn keyword trainspecType $(line <<<"$types")
hi def link trainspecComment Comment
hi def link trainspecString String
hi def link trainspecNumber Number
hi def link trainspecUnit Special
hi def link trainspecReserved Keyword
hi def link trainspecWord Statement
hi def link trainspecType Type
let b:current_syntax = 'trainspec'
END
}

textmate() {
  cat <<END
{
  "name": "TrainSpec",
  "scopeName": "source.trainspec",
  "fileTypes": ["trainspec"],
  "firstLineMatch": "^(import std\\\\.|plan |model |// TrainSpec)",
  "patterns": [
    {"name": "comment.line.double-slash.trainspec", "match": "//.*\$"},
    {"name": "string.quoted.double.trainspec", "begin": "\"", "end": "\"", "patterns": [{"name": "constant.character.escape.trainspec", "match": "\\\\\\\\."}]},
    {"match": "\\\\b([0-9][0-9_]*(?:\\\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)(?:\\\\s*((?:$(either <<<"$units"))(?:/s)?)\\\\b)?", "captures": {"1": {"name": "constant.numeric.trainspec"}, "2": {"name": "keyword.other.unit.trainspec"}}},
    {"name": "keyword.control.trainspec", "match": "\\\\b(?:$(keywords RESERVED | either))\\\\b"},
    {"name": "keyword.other.trainspec", "match": "\\\\b(?:$(keywords CONTEXTUAL | either))\\\\b(?!\\\\s*[:(=.])"},
    {"name": "storage.type.trainspec", "match": "\\\\b(?:$(either <<<"$types"))\\\\b"},
    {"name": "entity.name.function.trainspec", "match": "\\\\b[A-Za-z_][A-Za-z0-9_]*(?=\\\\()"}
  ]
}
END
}

tree_sitter_units() { sed 's/.*/"&",/' <<<"$units"; }

status=0
put() { # FILE, from standard input
  local text; text=$(cat)
  if [ "$check" != 1 ]; then printf '%s\n' "$text" >"$1"
  elif [ "$text" != "$(cat "$1" 2>/dev/null)" ]; then echo "$1 is out of date: share/syntax.sh writes it"; status=1; fi
}
[ "${1:-}" != --check ] || check=1
vim | put share/vim/syntax/trainspec.vim
textmate | put share/vscode/trainspec.tmLanguage.json
tree_sitter_units | put share/tree-sitter/src/units.h
for word in $(keywords RESERVED) $(keywords CONTEXTUAL); do
  grep -qF "'$word'" share/tree-sitter/grammar.js || { echo "share/tree-sitter/grammar.js does not have \`$word\`: it follows lang/grammar.y by hand"; status=1; }
done
exit $status
