import std.models.gpt, std.clusters.dgx, std.strategies.megatron

plan small {
  model = gpt2_small()
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 4 }
  apply = [vocabulary_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
