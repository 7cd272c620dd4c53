// What a list names must be there, must be for others, and must not be declared here too.
import std.models.gpt, std.clusters.dgx, "_rings.ts" (rngs, ring), "_gpt.ts" (_turned, ring as rings, ring as ring)

fn ring(n: Int) -> Int = n

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
