#!/usr/bin/env bash
# What the action does with plans, and any other CI can: $PLANS (patterns), $OPTIONS of them, $ASSERT (a line each), $FORMAT and $LOCKED (true), $BEFORE (a
# commit). Messages go to standard error, SARIF and the comment to files named in $GITHUB_OUTPUT. Fails if a plan does.
set -uo pipefail
out=${RUNNER_TEMP:-$(mktemp -d)} status=0 asserts=() plans=()
comment=$out/trainspec.md sarif=$out/trainspec.sarif
: >"$comment"
printf '%s\n' '{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"TrainSpec","rules":[]}},"results":[]}]}' >"$sarif"
while IFS= read -r line; do [ -z "$line" ] || asserts+=(--assert "$line"); done <<<"${ASSERT-}"
read -ra options <<<"${OPTIONS-}"
shopt -s nullglob globstar
# shellcheck disable=SC2206
plans=(${PLANS-})
[ ${#plans[@]} -gt 0 ] || { echo "no plan matches: ${PLANS-}" >&2; exit 1; }

# Messages as a person reads them, and for GitHub. One log may hold one run of a tool.
say() { # COMMAND...
  "$@" || status=1
  "$@" --diagnostics=sarif 2>"$out/one.sarif" >/dev/null
  if [ -s "$out/one.sarif" ] && jq -s '.[0] as $all | .[1] as $one | $one | .runs[0].results = $all.runs[0].results + $one.runs[0].results
      | .runs[0].tool.driver.rules = (($all.runs[0].tool.driver.rules + $one.runs[0].tool.driver.rules) | unique_by(.id))' \
      "$sarif" "$out/one.sarif" >"$out/all.sarif"; then
    mv "$out/all.sarif" "$sarif"
  fi
}

compare() { # PLAN
  git cat-file -e "$BEFORE:./$1" 2>/dev/null || { echo "$1 is new since $BEFORE" >&2; return; }
  trainspec diff --format=markdown ${options[@]+"${options[@]}"} "$tree/$prefix$1" "$1" >"$out/one.md"
  case $? in
    0) ;;
    1) cat "$out/one.md" >>"$comment" ;;
    *) echo "$1 cannot be compared with what it was" >&2 ;;
  esac
}

for plan in "${plans[@]}"; do
  if [ "${FORMAT-true}" = true ] && ! trainspec fmt --check "$plan" >/dev/null; then
    echo "$plan is not formatted: trainspec fmt $plan" >&2
    status=1
  fi
  run=(trainspec run ${options[@]+"${options[@]}"} ${asserts[@]+"${asserts[@]}"} -o /dev/null)
  lock=${plan%.*}.lock
  [ "${LOCKED-true}" != true ] || [ ! -f "$lock" ] || run+=(--locked)
  say "${run[@]}" "$plan"
done
if [ -n "${BEFORE-}" ]; then
  tree=$out/before; prefix=$(git rev-parse --show-prefix)
  if git cat-file -e "$BEFORE^{commit}" 2>/dev/null || git fetch -q --depth=1 origin "$BEFORE"; then
    git worktree add -q --detach "$tree" "$BEFORE"
    for plan in "${plans[@]}"; do compare "$plan"; done
    git worktree remove --force "$tree"
  else
    echo "$BEFORE is not at hand: check out with fetch-depth 0" >&2
  fi
fi
if [ -n "${GITHUB_OUTPUT-}" ]; then
  echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
  [ ! -s "$comment" ] || echo "comment=$comment" >>"$GITHUB_OUTPUT"
fi
exit $status
