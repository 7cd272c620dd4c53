import std.models.gpt, std.clusters.dgx

let s = 128
let s' = 2 * s

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: s')
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
