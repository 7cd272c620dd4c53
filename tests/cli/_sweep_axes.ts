import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b, std.gpus.nvidia,
  std.schedules.gpipe

plan small(tp: Int = 2, dp: Int = 2, pp: Int = 8 / (tp * dp), m: Int = 8, schedule: Schedule = one_f_one_b(p: pp, m: m)) {
  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 1000, seq: 512)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = schedule
  costs = [roofline(h100_sxm)]
}

search all of small {
  vary dp in 1..3
  vary schedule in [one_f_one_b(p: pp, m: 8), gpipe(p: pp, m: m)]
}
