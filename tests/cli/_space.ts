import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data,
  std.schedules.one_f_one_b, std.gpus.nvidia

plan small(tp: Int = 2, pp: Int = 2, dp: Int = 16 / (tp * pp), m: Int = 8) {
  model = gpt(layers: 16, hidden: 256, heads: 16, vocab: 100, seq: 64)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: m)
  tokens = 64
  costs = [roofline(h100_sxm)]
}
