fit() { trainspec fit network --hardware std/networks/nccl_hopper.json "$@" 2>&1; echo "exit $?"; }
fit _npkit.json -o "$scratch/net.json"; grep '"all_reduce", "algorithm": "ring", "protocol": "simple"' "$scratch/net.json"
fit --intra 450 _npkit.json _all_reduce.log | head -8
head -8 _npkit.json > "$scratch/cut.json"
jq 'del(.traceEvents[-1])' _npkit.json > "$scratch/unended.json"
sed 's/NPKIT_EVENT_/other_/' _npkit.json > "$scratch/other.json"
sed 's/"ts": 101.0, //' _npkit.json > "$scratch/timeless.json"
cd "$scratch"
fit cut.json
fit unended.json
fit other.json
fit timeless.json
