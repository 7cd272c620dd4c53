# Long. Just below a limit, and just above (doc/limits.md). Where E0707 is told, more memory would be needed than is allowed here: the limit was passed.
say() { echo "$1: $(grep -E '^error|^tsc: error|^ +(= help|\| .*(must be|at most|one too))' | grep -v 'max-memory=SIZE' | sed -E 's/^ +\|? *\^*//; s/ is needed.*//' | paste -sd' ' | grep . || echo fine)"; }
check() { tsc --check --max-memory="$3" --plan "$1" -D "$2" _limits.ts 2>&1 | say "$2"; }
for given in dp=8388608 dp=8388609 switches=1000000 switches=33554432 m=1000; do check sized $given 8GiB; done
check sized switches=33554431 100MB
check linked gpus=11585 100MB
check linked gpus=11586 100MB
check unscheduled micro_batches=4194304 100MB
check unscheduled micro_batches=4194305 100MB
for given in v=16384 v=16385; do check chunks $given 8GiB; done
for given in elements=1048576 elements=1048577; do check listed $given 8GiB; done
# Blocks inside blocks.
for most in 64 65; do
  { echo 'import std.ops.nn, std.gpus.nvidia, "'"$PWD"'/_limits.ts"'; echo 'block b0(x: Tensor) { yield linear(x, out: 8) }'
    for ((i = 1; i < most; i++)); do echo "block b$i(x: Tensor) { yield b$((i - 1))(x) }"; done
    echo "model nested() { x = input([batch, 8])
x = b$((most - 1))(x) as b }"
    echo 'plan p { model = nested()
cluster = flat(1, 1)
costs = [roofline(a100_sxm_80g)] }'; } >"$scratch/nested.ts"
  tsc --check --allow-read=/ "$scratch/nested.ts" 2>&1 | say "blocks=$most"
done
# Files, each imported by the one before.
mkdir -p "$scratch/chain"
for ((i = 1; i < 2000; i++)); do echo "import \"$((i + 1)).ts\""; done | (cd "$scratch/chain" && split -l 1 -d -a 4 --numeric-suffixes=1 --additional-suffix=.ts - f && for f in f*.ts; do n=${f#f}; n=${n%.ts}; mv "$f" "$((10#$n)).ts"; done)
echo 'let end = 1' >"$scratch/chain/2000.ts"
echo 'import "1.ts"' >"$scratch/chain/0.ts"
for first in 1 0; do tsc --check "$scratch/chain/$first.ts" 2>&1 | grep -A9 'E0226' | say "files=$((2001 - first))"; done
# Files that a plan reads; these are holes.
truncate -s 1073741825 "$scratch/large.csv"
printf 'import std.models.gpt, std.clusters.dgx\nplan p { model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 100, seq: 16)\ncluster = dgx_a100(nodes: 1)\ncosts = [table("large.csv")] }\n' >"$scratch/reads.ts"
(cd "$scratch" && tsc --check reads.ts 2>&1 | say bytes=1073741825)
# Steps one after the other.
for steps in 1000 1001; do tsrun --steps $steps ../engine/straggler.tsir 2>&1 | grep -E '^[0-9,]+ steps|^tsrun' | sed "s/^/steps=$steps: /"; done
