import std.models.gpt, std.clusters.dgx

plan small(nodes: Int = 1) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
