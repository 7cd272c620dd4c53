# What three steps teach of a framework holds for its other jobs: the true one's products take 1.05, its other kernels 1.4, its host 1.5 times as long.
sed 's/  host = {/  framework = { name: "Mine" }\n&/' _calibrate.ts >"$scratch/plan.ts"; cd "$scratch"
takes() { tsrun -D products=1.05 -D others=1.4 -D hosts=1.5 "$@" --format=json plan.ts 2>/dev/null | awk '/"step_time_ps"/ { printf "%.7f\n", $2 / 1e12 }'; }
{ echo micro,seq,hidden,step_s; for c in "1 512 1024" "4 1024 4096" "1 2048 2048"; do set -- $c; echo "$1,$2,$3,$(takes -D micro=$1 -D seq=$2 -D hidden=$3)"; done; } >three.csv
trainspec calibrate --learn framework -o mine.ts plan.ts three.csv 2>/dev/null; sed '/residual\|^    \[/d' mine.ts; tsfmt <mine.ts | cmp - mine.ts
{ echo 'import "mine.ts"'; sed 's/^  host = /  calibration = learnt\n&/' plan.ts; } >other.ts
for c in "2 1024 1024" "2 512 8192"; do
  set -- $c; takes -D micro=$1 -D seq=$2 -D hidden=$3
  for p in plan.ts other.ts; do tsrun -D micro=$1 -D seq=$2 -D hidden=$3 $p 2>/dev/null | grep 'step time'; done
done
tsrun other.ts 2>/dev/null | sed -n '/^Calibrated/,/^$/p'
# Another framework's plan is told; a record that was changed by hand is refused.
sed 's/"Mine"/"Other"/' other.ts >third.ts; tsc -o /dev/null third.ts 2>&1 | head -3
sed 's/factors: \[/&-1, /' mine.ts >bad.ts; sed 's/mine.ts/bad.ts/' other.ts >fourth.ts; tsc -o /dev/null fourth.ts 2>&1 | head -8
sed 's/factors: \[[^,]*/factors: [1e9/' mine.ts >bad.ts; tsc -o /dev/null fourth.ts 2>&1 | grep '\^'
sed 's/quantities: framework_quantities/quantities: []/' mine.ts >bad.ts; tsc -o /dev/null fourth.ts 2>&1 | grep '\^'
trainspec calibrate --learn cluster plan.ts three.csv 2>&1; echo "exit $?"
