language 1
// The graph of one rank, divided as the scripts of tests/traces/graph-divided.cmd divide it.
import std.clusters.dgx, std.networks, std.gpus.nvidia, std.optimizers.adam, std.precision
import std.strategies.data, std.strategies.megatron, std.schedules.one_f_one_b
plan divided(file: String = "_divided.{rank}.json.gz", tp: Int = 1, dp: Int = 1, pp: Int = 1, m: Int = 2, micro: Int = 16, bucket: Any = 25 MiB, overlap: Bool = true) {
  model = graph(file)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = (if dp > 1 then [data_parallel(dp, bucket, overlap)] else []) + (if tp > 1 then [tensor_parallel(tp, overlap)] else [])
  schedule = one_f_one_b(pp, m)
  batch = { global: micro * m * dp, micro }
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
