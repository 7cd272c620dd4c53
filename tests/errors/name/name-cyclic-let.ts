import std.models.gpt, std.clusters.dgx

let hidden = 64 * heads
let heads = div(hidden, 64)

plan small {
  model = gpt(layers: 4, hidden: hidden, heads: heads, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
