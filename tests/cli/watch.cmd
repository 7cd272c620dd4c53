# A log beside the band of its plan: as it is, while it grows, and what is run when it leaves.
sed '/host = /i\  framework = { name: "Megatron-LM" }' _plan.ts >"$scratch/plan.ts"; cp _sizes.ts _ops.csv "$scratch"; cd "$scratch"
lines() { local i; for i in $(seq "$1" "$2"); do echo "iteration $i/ 90 | elapsed time per iteration (ms): 0.$(($3 + i % 3)) | global batch size: 2 |"; done; }
try() { echo "== $*"; trainspec watch "$@" 2>&1 | sed '/^warning/,/^$/d'; echo "exit ${PIPESTATUS[0]}"; }
lines 1 30 680 >run.log; try --once plan.ts run.log; try --once --band 1% plan.ts run.log
lines 31 60 990 >>run.log; try --once -o steps.svg --exec 'echo "$TRAINSPEC_STEP $TRAINSPEC_PREDICTED $TRAINSPEC_MESSAGE"; false' plan.ts run.log
grep -c 'class="band"' steps.svg; grep -c circle steps.svg
# It drifts; it comes back; it grows while it is followed, from nothing on.
for i in $(seq 60); do echo "iteration $i/ 90 | elapsed time per iteration (ms): 0.$((680 + i / 4)) |"; done >drift.log; try --once plan.ts drift.log
{ cat run.log; lines 61 90 680; } >back.log; try --once plan.ts back.log
: >grown.log; { sleep 1; head -40 run.log >>grown.log; } & try --every 1 --idle 3 --stop plan.ts grown.log; wait
echo nothing >none.log; try --once plan.ts none.log; try plan.ts missing.log; try --once nowhere.ts run.log
try plan.ts; try --band 0 plan.ts run.log; try --every 0 plan.ts run.log; try a b c
