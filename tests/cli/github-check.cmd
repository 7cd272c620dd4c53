# What the GitHub action does: limits, locks, format, messages as SARIF, a comment on what changed.
if ! command -v git >/dev/null || ! command -v jq >/dev/null; then cat github-check.out; exit; fi
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$scratch"
check=$(cd ../.. && pwd)/share/github/check.sh
mkdir "$scratch/repo" "$scratch/repo/plans" "$scratch/made"; cp _plan.ts _sizes.ts _ops.csv "$scratch/repo/plans"; cd "$scratch/repo"
git init -q .; git add .; git -c user.name=a -c user.email=a@b commit -qm one; git tag one
export RUNNER_TEMP="$scratch/made" GITHUB_OUTPUT="$scratch/github"
try() { echo "== $*"; env "$@" bash "$check" 2>&1 | grep -v '^   \|^ *[0-9]* |\|^$\|^warning\|^  -->'; echo "exit ${PIPESTATUS[0]}"; jq -c '.runs[0] | [.tool.driver.rules[].id, (.results[] | .locations[0].physicalLocation.artifactLocation.uri)]' "$scratch/made/trainspec.sarif"; head -4 "$scratch/made/trainspec.md"; }
try PLANS='plans/_p*.ts' ASSERT='step_time < 1 s'
try PLANS='plans/_p*.ts' OPTIONS='-D launch=9us' ASSERT=$'step_time < 1 us\npeak_memory < 1 KiB' BEFORE=one
sed -i 's/layers: Int = 2/layers:Int = 3/' plans/_plan.ts; cp plans/_plan.ts plans/_pnew.ts
try PLANS='plans/_p*.ts' BEFORE=one
(cd plans; try PLANS=_plan.ts BEFORE=one FORMAT=false)
try PLANS='nowhere/*.ts'
sed 's|/.*/made/|made/|' "$scratch/github"; git worktree list | wc -l
# Hooks of pre-commit
hooks=${check%/github/*}/pre-commit; cd plans; trainspec lock _plan.ts 2>/dev/null
"$hooks/check" -Wno-roofline-costs -Wno-assumed-network _plan.ts _sizes.ts; echo "exit $?"
"$hooks/locked" _plan.ts _plan.lock _sizes.ts; echo "exit $?"
"$hooks/locked" -Dlaunch=9us _plan.lock 2>&1 | head -1
# The commit to compare with is fetched, if the checkout lacks it.
cd "$scratch/repo"; git -c user.name=a -c user.email=a@b commit -qam two; git clone -q --depth 1 "file://$PWD" ../shallow; cd ../shallow
(export REMOTE="file://$scratch/repo"; try PLANS=plans/_plan.ts BEFORE=one FORMAT=false | tail -5); try PLANS=plans/_plan.ts BEFORE=one FORMAT=false | grep hand
# One comment for all plans is no longer than GitHub takes.
for i in 1 2 3; do { cat plans/_plan.ts; seq -f "// line %g of many" 2000; } >plans/_plan$i.ts; done
git add .; git -c user.name=a -c user.email=a@b commit -qm three; sed -i 's/of many/of all/; s/layers:Int = 3/layers:Int = 2/' plans/_plan[123].ts
try PLANS='plans/_plan[123].ts' BEFORE=HEAD FORMAT=false | grep exit; [ $(wc -c <"$scratch/made/trainspec.md") -lt 65536 ] && tail -1 "$scratch/made/trainspec.md"
