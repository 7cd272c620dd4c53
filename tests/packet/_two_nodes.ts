import std.models.gpt, std.clusters.dgx, std.strategies.data, std.gpus.nvidia

plan two_nodes(dp: Int = 16, models: List = [packet(mtu: 64 KiB)]) {
  model = gpt(layers: 1, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = models
}
