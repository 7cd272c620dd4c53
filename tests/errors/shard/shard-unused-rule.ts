import std.models.image, std.clusters.dgx, std.strategies.megatron

plan small {
  model = image()
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2 }
  apply = [tensor_parallel(tp)]
  costs = [roofline(a100_sxm_80g)]
}
