# A plan beside a run: as predicted, and why not.
sed '/host = /i\  framework = { name: "Megatron-LM" }' _plan.ts >"$scratch/plan.ts"; cp _sizes.ts _ops.csv "$scratch"; cd "$scratch"
lines() { local i; for i in $(seq "$1" "$2"); do echo "iteration $i/ $2 | elapsed time per iteration (ms): $(($3 + i % 2)).5 | global batch size: ${4:-2} |"; done; }
try() { echo "== $*"; trainspec compare "$@" 2>&1 | sed '/^warning/,/^$/d'; echo "exit ${PIPESTATUS[0]}"; }
lines 1 9 1 >run.log; try --causes 2 plan.ts run.log
try --causes 0 --step 670us --memory '580 MiB' plan.ts
try --causes 3 --step 0.9ms -D layers=2 plan.ts
try --causes 2 -m forward=1ms -m backward=0.3ms -m update=1ms plan.ts
try --causes 2 --format json -m tokens_per_second=100000 plan.ts
# No single cause takes such a time in so little memory: two at once do. The page has all of it, and nothing that runs.
try --causes 1 --step 5ms --memory '800 MiB' plan.ts
trainspec compare --format html --causes 2 -o page.html plan.ts run.log; grep -c '<script>' page.html; grep -oE '<h[12]>[^<]*|<small>[^<]*|class="(band|causes)"' page.html; tail -n 3 page.html
# Half a log, two runs, another batch, times that are no numbers, a log of something else, a recording.
lines 1 9 1 | head -c 300 >half.log; try --causes 0 plan.ts half.log
{ lines 1 9 5; lines 1 9 1 64; } >two.log; try --causes 0 plan.ts two.log
printf 'iteration 1/ 2 | elapsed time per iteration (ms): nan | \n' >nan.log; try plan.ts nan.log
echo nothing >none.log; try plan.ts none.log; try plan.ts missing.log
# What cannot be.
try --step 3GiB plan.ts; try --step -1s plan.ts; try -m tflops=0 plan.ts; try -m tflop=3 plan.ts; try -m step plan.ts; try --step 'x y' plan.ts
try plan.ts; try; try a b c; try --step 1s nowhere.ts
# An IR has no text to change.
tsc -o plan.ir plan.ts 2>/dev/null; try --step 5ms plan.ir
# Each cause says what tells it, and is weighed by a number above 0.
printf 'import std.tools.causes\nlet bad = [c.name for c in causes if c.tell == "" or (if any([f == "odds" for f in fields(c)]) then c.odds <= 0 else false)]\n' >bad.ts
{ echo 'import "bad.ts"'; sed 's/dp: Int = 2/dp: Int = 2 + len(bad)/' plan.ts; } >all.ts
tsc -o /dev/null all.ts 2>&1 | grep error; :
