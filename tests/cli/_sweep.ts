import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b, std.gpus.nvidia

plan small(tp: Int = 2, dp: Int = 2, pp: Int = 8 / (tp * dp), m: Int = 8, name: String = "x") {
  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 1000, seq: 512)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: m)
  tokens = if name == "x" then 512 else 512
  costs = [roofline(h100_sxm)]
}

search all of small {
  vary tp in [1, 2, 4, 3]
  vary dp in 1..3
  require 8 % (tp * dp) == 0, "eight devices"
  let seconds = step_time / 1s
  require seconds < 0.013, "fast"
  minimize step_time * tp
}

search by_mfu of small {
  vary tp in [2, 8]
  set dp = 1
  maximize mfu
}
