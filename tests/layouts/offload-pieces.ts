import std.models.gpt, std.clusters.dgx, std.strategies.offload, std.optimizers.adam

plan crumbs {
  model = gpt(layers: 12, hidden: 768, heads: 12, vocab: 50304, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  apply = [offload_optimizer(piece: 1 B)]
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}
