import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data,
  std.schedules.one_f_one_b, std.gpus.nvidia

plan small(layers: Int = 4, tp: Int = 2, pp: Int = 2, dp: Int = 16 / (tp * pp), m: Int = 8, price: Price = $2.50/h) {
  model = gpt(layers: layers, hidden: 1024, heads: 16, vocab: 1000, seq: 512)
  cluster = dgx_h100(nodes: 2) with { price = price, host_watts = 150 W }
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: m)
  tokens = 512
  batch = { micro: 1, global: m * dp }
  costs = [roofline(h100_sxm)]
  carbon = 400 g/kWh
}
