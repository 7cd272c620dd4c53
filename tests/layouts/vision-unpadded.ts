import std.models.vit, std.clusters.dgx, std.strategies.megatron

plan small {
  model = vit_b16()
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 4 }
  apply = [tensor_sequence_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
