# What --help, the manual and completion say of options is the same, for every program and command: what is printed is missing on one side.
man=../../doc/man
. ../../share/bash-completion/trainspec
of_help() { "$@" --help | sed '1,/^$/d' | sed -nE 's/^ {2,6}(-[^ ])/\1/; s/^(-[^ ].*)/\1/; /^-/ { s/  .*//; p }' | grep -oE -- '-{1,2}[A-Za-z][A-Za-z-]*' | sort -u; }
# Tags of paragraphs, from the section of that name on, up to the next; all of the page without one.
of_manual() { # PAGE [COMMAND]
  awk -v section="${2-}" '/^\.S[SH]/ { on = section == "" || $0 == ".SS trainspec " section } on' "$man/$1.1" |
    awk '/^\.T[PQ]/ { getline; print }' | sed -E 's/\\f[BIR]//g; s/\\-/-/g; s/=.*//' | grep -oE -- '(^|[ "])-{1,2}[A-Za-z][A-Za-z-]*' | tr -d ' "' | sort -u
}
common() { printf '%s\n' --color --diagnostics --max-memory -h --help --version; }
completed() { COMP_WORDS=("$@" --); COMP_CWORD=$#; COMPREPLY=(); _trainspec; printf '%s\n' "${COMPREPLY[@]%=}" | sort -u; }
compare() { # PAGE SECTION COMMAND...
  local page=$1 section=$2; shift 2
  if [ -n "$section" ]; then of_manual "$page" "$section" >"$scratch/man"; of_help "$@" | grep -vxFf <(common) >"$scratch/help"
  else of_manual "$page" >"$scratch/man"; of_help "$@" >"$scratch/help"; fi
  diff "$scratch/man" "$scratch/help" | grep '^[<>]' | sed 's/^</only in the manual:/; s/^>/only in --help:/'
  of_help "$@" | grep -e '^--' | diff - <(completed "$@") | grep '^[<>]' | sed 's/^</not completed:/; s/^>/completed:/'
  echo "$*: $(of_help "$@" | wc -l) options"
}
for p in tsc tsrun tsfmt; do compare $p '' $p; done
commands=$(trainspec --help | awk '/^  fit / { print $1 " " $2; next } /^  [a-z]/ && $1 != "compile" && $1 != "run" { print $1 }' | sort -u)
while read -r c; do [ "$c" = fmt ] || compare trainspec "$c" trainspec $c; done <<<"$commands"
