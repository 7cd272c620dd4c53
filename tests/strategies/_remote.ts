import std.models.resnet, std.models.gpt, std.precision, std.clusters.dgx, std.gpus.nvidia, std.strategies.data, std.strategies.offload
plan remote(more: Any = none, m: Int = 2) {
  model = resnet50()
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [data_parallel(dp), more]
  batch = { micro: 32, global: 256 * m }
  precision = full_precision()
  costs = [roofline(a100_sxm_80g)]
}
plan words(more: Any = none) {
  model = gpt(layers: 2, hidden: 1024, heads: 16, vocab: 51200, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  apply = [more]
  batch = { micro: 4, global: 16 }
  precision = mixed()
  costs = [roofline(a100_sxm_80g)]
}
