# Shells take the quotes of a String away: a bare word is one, whatever it may mean else.
cat >"$scratch/plan.ts" <<'END'
import std.models.gpt, std.clusters.dgx, std.strategies.recompute
plan small(how: String = "none") {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  recompute = if how == "none" then none else full()
  batch = { micro: 1 }
  mesh = { dp: 1 }
  costs = [roofline(a100_sxm_80g)]
}
END
cd "$scratch"; for how in none full cheap '"full"'; do tsc -o plan.ir plan.ts -D how="$how" 2>&1 && tsrun plan.ir 2>&1 | grep -ci recomp; done
