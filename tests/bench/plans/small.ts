// The smallest plan that says something: one block of layers on one node.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.gpus.nvidia

plan small(dp: Int = 4, seq: Int = 512) {
  model = gpt(layers: 4, hidden: 1024, heads: 16, vocab: 1000, seq: seq)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  tokens = seq
  costs = [roofline(h100_sxm)]
}
