import std.models.resnet, std.precision, std.clusters.dgx, std.gpus.nvidia, std.strategies.data

plan many {
  model = resnet50()
  cluster = dgx_a100(nodes: 16)
  mesh = { dp: 128 }
  apply = [torch_data_parallel(dp)]
  batch = { micro: 32, global: 4096 }
  precision = full_precision()
  costs = [roofline(a100_sxm_80g)]
}
