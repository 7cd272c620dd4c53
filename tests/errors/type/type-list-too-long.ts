import std.models.gpt, std.clusters.dgx

let sizes = [i * i for i in 0..100_000_000]

plan small {
  model = gpt(layers: len(sizes), hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
