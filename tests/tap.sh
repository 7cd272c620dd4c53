# What shell scripts say of their cases, as TAP: the scripts of tests/ begin with `. "$(dirname "$0")/tap.sh"` and end with `summary`.
number=0
report() { # NAME FINDINGS: passes if there are none
  number=$((number + 1))
  if [ -z "${2-}" ]; then echo "ok $number - $1"; else printf '%s\n' "$2" | sed 's/^/# /'; echo "not ok $number - $1"; fi
}
check() { # NAME COMMAND...: passes if it succeeds, and otherwise shows what it printed
  local name=$1
  shift
  if "$@" >"$scratch/said" 2>&1; then report "$name"; else report "$name" "$(cat "$scratch/said" && echo "the command failed")"; fi
}
skip() { number=$((number + 1)); echo "ok $number - $1 # SKIP $2"; } # NAME WHY
skip_all() { echo "1..0 # SKIP $1"; exit "${2:-0}"; } # WHY STATUS
summary() { echo "1..$number"; }
