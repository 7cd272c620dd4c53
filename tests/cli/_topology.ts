import std.models.gpt, std.clusters.islands, std.clusters.fabrics, std.clusters.meshes, std.clusters.nccl, std.gpus.nvidia, std.strategies.data

plan topology(cluster: Cluster, dp: Int = 4) {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = cluster
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
}
