#!/usr/bin/env bash
# What the action does with plans, and any other CI can: $PLANS (patterns), $OPTIONS of them, $ASSERT (a line each), $FORMAT and $LOCKED (true), $BEFORE (a
# commit), $REMOTE (where that is fetched from if it is not at hand), $TOKEN (of GitHub, for that). Messages go to standard error, SARIF and the comment
# to files named in $GITHUB_OUTPUT. Fails if a plan does.
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
plans=("${plans[@]/#-/./-}") # who wrote the change named them

# A line for people. No name makes another line, which the runner might take for a command.
tell() { # FORMAT WORD...
  # shellcheck disable=SC2059
  printf "$1\n" "${@:2}" >&2
}

# Messages as a person reads them, and for GitHub. One log may hold one run of a tool.
say() { # PLAN COMMAND...
  local plan=$1; shift
  "$@" -- "$plan" || status=1
  "$@" --diagnostics=sarif -- "$plan" 2>"$out/one.sarif" >/dev/null
  if [ -s "$out/one.sarif" ] && jq -s '.[0] as $all | .[1] as $one | $one | .runs[0].results = $all.runs[0].results + $one.runs[0].results
      | .runs[0].tool.driver.rules = (($all.runs[0].tool.driver.rules + $one.runs[0].tool.driver.rules) | unique_by(.id))' \
      "$sarif" "$out/one.sarif" >"$out/all.sarif"; then
    mv "$out/all.sarif" "$sarif"
  fi
}

# Of the folder's repository only names and objects are read: what its configuration, hooks and attributes name would be a stranger's to choose.
folder() { GIT_ALLOW_PROTOCOL='' GIT_NO_LAZY_FETCH=1 git -c safe.bareRepository=explicit "$@" 2>/dev/null; }

# The commit's files, by a repository of our own beside those objects.
check_out() {
  local commit='' objects
  objects=$(folder rev-parse --path-format=absolute --git-path objects) && prefix=$(folder rev-parse --show-prefix) || return
  commit=$(folder rev-parse --verify -q --end-of-options "$BEFORE^{commit}")
  # shellcheck disable=SC2046
  unset $(git rev-parse --local-env-vars)
  git init -q --template= "$tree" && printf '%s\n' "$objects" >"$tree/.git/objects/info/alternates" || return
  [ -z "$commit" ] || ! git -C "$tree" checkout -q --detach "$commit" -- 2>/dev/null || return 0
  rm "$tree/.git/objects/info/alternates" # a fetch would start git there
  if [ -n "${TOKEN-}" ]; then
    export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0="http.${GITHUB_SERVER_URL-https://github.com}/.extraheader"
    GIT_CONFIG_VALUE_0="AUTHORIZATION: basic $(printf 'x-access-token:%s' "$TOKEN" | base64 -w0)"; export GIT_CONFIG_VALUE_0
  fi
  [ -n "$remote" ] && git -C "$tree" fetch -q --depth=1 -- "$remote" "${commit:-$BEFORE}" && git -C "$tree" checkout -q --detach FETCH_HEAD --
}

compare() { # PLAN
  [ -e "$tree/$prefix$1" ] || { tell '%q is new since %s' "$1" "$BEFORE"; return; }
  trainspec diff --format=markdown ${options[@]+"${options[@]}"} -- "$tree/$prefix$1" "$1" >"$out/one.md"
  case $? in
    0) ;;
    1) if [ $(($(wc -c <"$comment") + $(wc -c <"$out/one.md"))) -le 65000 ]; then cat "$out/one.md" >>"$comment"; else cut=$((cut + 1)); fi ;;
    *) tell '%q cannot be compared with what it was' "$1" ;;
  esac
}

for plan in "${plans[@]}"; do
  if [ "${FORMAT-true}" = true ] && ! trainspec fmt --check -- "$plan" >/dev/null; then
    tell '%q is not formatted: trainspec fmt %q' "$plan" "$plan"
    status=1
  fi
  run=(trainspec run ${options[@]+"${options[@]}"} ${asserts[@]+"${asserts[@]}"} -o /dev/null)
  lock=${plan%.*}.lock
  [ "${LOCKED-true}" != true ] || [ ! -f "$lock" ] || run+=(--locked)
  say "$plan" "${run[@]}"
done
if [ -n "${BEFORE-}" ]; then
  tree=$(mktemp -d "$out/before.XXXXXX") remote=${REMOTE-${GITHUB_REPOSITORY:+${GITHUB_SERVER_URL-https://github.com}/$GITHUB_REPOSITORY}}
  if check_out; then
    cut=0 # GitHub takes comments of 65,536 characters
    for plan in "${plans[@]}"; do compare "$plan"; done
    [ $cut = 0 ] || printf '\n%s plans more differ, for which a comment has no room.\n' $cut >>"$comment"
  else
    tell '%s is not at hand: check out with fetch-depth 0' "$BEFORE"
  fi
  rm -rf "$tree"
fi
if [ -n "${GITHUB_OUTPUT-}" ]; then
  echo "sarif=$sarif" >>"$GITHUB_OUTPUT"
  [ ! -s "$comment" ] || echo "comment=$comment" >>"$GITHUB_OUTPUT"
fi
exit $status
