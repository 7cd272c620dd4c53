import std.models.gpt, std.clusters.dgx, std.strategies.data, std.gpus.nvidia

plan flows(dp: Int = 8) {
  model = gpt(layers: 1, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = [flow(algorithm: "butterfly"), flow(channels: 0), flow(routing: "fastest"), flow(efficiency: 1.2), flow(of: "gossip")]
}
