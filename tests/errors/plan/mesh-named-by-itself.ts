import std.models.gpt, std.clusters.dgx, std.strategies.megatron

// A parameter's default may name axes of the mesh, but not if the mesh is made of it.
plan circle(some: Strategy = tensor_parallel(q), q: Int = len([some])) {
  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 1000, seq: 512)
  cluster = dgx_a100(nodes: 1)
  mesh = { q }
  apply = [some]
  costs = [roofline(a100_sxm_80g)]
}
