// A file of one's own counts before the standard library, so that a name added to that breaks no plan; but not in silence.
import std.models.gpt, std.clusters.dgx, "_gpt.ts"

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
