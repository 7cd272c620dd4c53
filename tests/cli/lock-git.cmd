# Files that differ from their lock are put back from git, one at a time.
command -v git >/dev/null || { sed '$d' lock-git.out; exit "$(sed -n '$s/exit //p' lock-git.out)"; }
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null HOME="$scratch"
cp _plan.ts "$scratch/plan.ts"; cp _sizes.ts _ops.csv "$scratch"; cd "$scratch"
try() { echo "== $*"; "$@" 2>&1 | sed -E "s/ [0-9]+ inputs,/ N inputs,/"; echo "exit ${PIPESTATUS[0]}"; }
git init -q . && git add . && try trainspec lock plan.ts
sed -i "s@layers: Int = 2@layers: Int = 3@" plan.ts && sed -i "s@8@4@" _sizes.ts && echo "# later" >>_ops.csv
try trainspec lock --check -D launch=9us plan.ts
# A plan that does not go with what a file was.
sed -i "s@hidden: Int = 64 . heads@hidden: Int = 256 / heads@" plan.ts; echo "let heads = 3" >_sizes.ts; git add .; try trainspec lock -D hidden=192 plan.ts
echo "let heads = 4" >_sizes.ts; try trainspec lock --check plan.ts
