import std.models.gpt, std.clusters.spines, std.gpus.nvidia, std.strategies.data, std.strategies.megatron

plan spines(cluster: Cluster, tp: Int = 1, dp: Int, routing: String = "ecmp") {
  model = gpt(layers: 8, hidden: 4096, heads: 64, vocab: 1024, seq: 128)
  cluster = cluster
  mesh = { tp, dp }
  apply = [tensor_parallel(tp), data_parallel(dp, overlap: false)]
  costs = [roofline(h100_sxm)]
  network = [flow(algorithm: "ring", routing: routing)]
}
