// `products`, `others` and `hosts` are the truth: how much slower things are than the plan knows.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.one_f_one_b, std.optimizers.adam, std.precision, std.gpus.nvidia

plan steps(tp: Int = 2, dp: Int = 2, pp: Int = 1, micro: Int = 1, global: Int = 16, seq: Int = 512, hidden: Int = 1024, recipe: String = "bf16", products: Real = 1, others: Real = 1, hosts: Real = 1) {
  model = gpt(layers: 4, hidden: hidden, heads: 16, vocab: 8000, seq: seq)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: global / dp / micro)
  batch = { micro: micro, global: global }
  precision = if recipe == "fp32" then full_precision() else mixed(bf16)
  optimizer = adam()
  costs = [slower(slower(roofline(h100_sxm, flops: 0.6, bytes: 0.7, floor: 2 us), by: products, family: "gemm"), by: others, family: ["elementwise", "adam"])]
  host = { launch: 4 us * hosts, collective: 8 us * hosts }
}
