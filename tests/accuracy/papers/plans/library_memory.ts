// A step of few bytes, whose rank holds what NCCL takes.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.networks, std.costs.sources

plan library_memory(dp: Int = 8) {
  model = gpt2_small()
  cluster = dgx_h100(nodes: 1)
  mesh = { dp, rest: 8 / dp }
  apply = [data_parallel(dp)]
  batch = { micro: 1, global: 8 }
  costs = training_h100
  network = h100_infiniband
  memory = nccl_memory([dp])
}
