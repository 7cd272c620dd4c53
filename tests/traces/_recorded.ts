language 1
// Nothing but the table's times, and collectives.
import std.import.recorded, std.gpus.nvidia, std.clusters.dgx, std.networks, std.precision, std.optimizers.adam
import std.strategies.data, std.strategies.megatron, std.schedules.one_f_one_b
param tp: Int = 1
param dp: Int = 1
param pp: Int = 1
param micro: Int = 2
plan recorded_gpt {
  model = trace("recorded.csv", recorded())
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [data_parallel(dp)] + (if tp > 1 then [tensor_parallel(tp)] else [])
  schedule = one_f_one_b(pp, pp)
  batch = { global: micro * dp * pp, micro: micro }
  tokens = 64
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
