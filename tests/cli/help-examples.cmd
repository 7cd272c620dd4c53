# Each example of --help, pasted: none is a wrong usage (2), and those whose files are here do what they say (0, or 3 for a limit that does not hold, 1 for differences).
kineto=$PWD/_kineto.py; cp _mistakes.ts "$scratch/plan.ts"; cp _gemms.csv "$scratch/gemms.csv"; cp _all_reduce.log "$scratch/all_reduce.log"; cp _ops.csv "$scratch/ops.csv"
mkdir "$scratch/stdlib"; cp -r ../../stdlib/strategies "$scratch/stdlib"; for i in 0 1 2 3; do gzip -dc ../../examples/data/gpt.$i.json.gz >"$scratch/graph.$i.json"; done; cp _recorded.ts "$scratch"
cd "$scratch"; export XDG_CACHE_HOME=. TRAINSPEC_HINTS=0
sed -i 's/pp: Int = 1, dp: Int = 2, global: Int = 8/pp: Int = 2, dp: Int = 2, global: Int = 64/' plan.ts; cp plan.ts machine.ts; cp plan.ts cluster.ts; cp plan.ts old.ts; sed 's/tp: Int = 4/tp: Int = 8/; s/dp: Int = 2/dp: Int = 1/' plan.ts >new.ts; sed '/^plan/,$d; s/schedule eager/schedule my_schedule/' plan.ts >mine.ts
printf 'search degrees of own {\n  vary tp in [4, 8]\n  set dp = 16 / (tp * pp)\n  minimize step_time\n}\n' >>plan.ts
for i in 1 2 3 4 5; do echo "completed step: $i, seconds: 2.0$i"; done >train.log; printf 'tp,pp,dp,step_s\n4,2,2,2.0\n8,2,1,2.2\n4,1,2,3.9\n' >measured.csv
tsrun --trace=play.json _recorded.ts >/dev/null 2>&1 && python3 "$kineto" play.json 3 | gzip >rank0.json.gz; cp rank0.json.gz rank1.json.gz; cp rank0.json.gz before.json.gz; cp rank0.json.gz after.json.gz; gzip -dc rank0.json.gz >profile.json
trainspec export --format=goal -o job.goal plan.ts; trainspec export --format=aicb -o workload.csv plan.ts
# Not run: what takes minutes or measures this machine, follows a log without end, asks a repository of the reader's, or needs Graphviz.
skipped() { case $1 in *' profile '* | *' watch plan.ts'* | *'watch --exec'* | git\ * | *'| dot '*) return 0 ;; esac; return 1; }
trainspec --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sed 's/^fit$/fit ops\nfit network\nfit slowdown/' | while read -r command; do
  trainspec $command --help </dev/null | awk '/^Examples:/ { on = 1; next } /^$/ { on = 0 } on' | sed -E 's/^ *(\$ )?//; s/ +# .*//; s/--budget=60s/--budget=4/; s/--for NAME/--for megatron/' | awk '!seen[$0]++' | while IFS= read -r line; do
    if skipped "$line"; then echo "-  $line"; continue; fi
    bash -c "set -o pipefail; $line" </dev/null >said 2>&1; code=$?
    echo "$code  $line"; [ $code = 0 ] || grep -E '^(error|trainspec|tsrun)|unknown|^try' said | head -2 | sed 's/^/     /'
  done
done
