# What a help offers divides all that the axis splits, the second argument of one `split` too.
cat >"$scratch/plan.ts" <<'END'
import std.models.llama, std.clusters.dgx, std.strategies.megatron
plan small(tp: Int = 3) {
  model = llama(layers: 2, hidden: 1024, heads: 16, kv_heads: 4, ffn: 4096, vocab: 4096, seq: 1024)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp }
  apply = [tensor_sequence_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
END
cd "$scratch"; tsc -o plan.ir plan.ts 2>&1 | grep '= help'
for tp in 1 2 4 8; do tsc -o plan.ir plan.ts -D tp=$tp 2>/dev/null && echo "$tp does"; done
