import std.models.gpt, std.clusters.dgx

plan small(spread: Real = 1.5) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  host = { launch: sqrt(1 - spread) * 6 us }
  costs = [roofline(a100_sxm_80g)]
}
