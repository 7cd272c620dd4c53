import std.models.gpt, std.clusters.dgx, std.strategies.data, std.costs.sources

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [data_parallel(dp)]
  batch = { micro: 1, global: 8 }
  costs = training_a100
  network = [measured(table("_nccl_h100.csv"))]
}
