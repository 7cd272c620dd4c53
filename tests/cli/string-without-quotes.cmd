# Shells take the quotes of a String away; what the word may mean else is no help.
cat >"$scratch/plan.ts" <<'END'
import std.models.gpt, std.clusters.dgx, std.strategies.recompute
plan small(how: String = "none") {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  recompute = if how == "none" then none else full()
  batch = { micro: 1, global: 8 }
  mesh = { dp: 8 }
  costs = [roofline(a100_sxm_80g)]
}
END
cd "$scratch"; tsc -o plan.ir plan.ts -D how=full 2>&1; tsc -o plan.ir plan.ts -D how=cheap 2>&1 | head -1; tsc -o plan.ir plan.ts -D 'how="full"' 2>&1 | grep -c 'without quotes'
