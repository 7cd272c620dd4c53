import std.models.gpt, std.clusters.dgx, std.strategies.data, std.gpus.nvidia

plan between(nodes: Int = 2, models: List = []) {
  model = gpt(layers: 1, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_h100(nodes: nodes)
  mesh = { dp: 8 * nodes }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = models
}
