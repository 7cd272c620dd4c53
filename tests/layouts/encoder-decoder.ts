import std.models.t5, std.clusters.dgx, std.strategies.megatron

plan small {
  model = t5_small()
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 4 }
  apply = [tensor_sequence_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
