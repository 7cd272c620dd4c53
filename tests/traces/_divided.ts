language 1
// The graph of one rank, divided as the scripts of tests/traces/graph-divided.cmd divide it.
import std.clusters.dgx, std.networks, std.gpus.nvidia, std.optimizers.adam, std.precision
import std.strategies.data, std.strategies.megatron, std.schedules.one_f_one_b
strategy each_parameter(d: Axis, overlap: Bool) {
  rule gradients {
    match *
    after gradients: all_reduce(gradients, over: d, bucket: 0 B, exceed: false, overlap: overlap)
  }
}
plan divided(
  each: Bool = false,
  file: String = "_divided.{rank}.json.gz",
  tp: Int = 1,
  dp: Int = 1,
  pp: Int = 1,
  m: Int = 2,
  micro: Int = 16,
  bucket: Any = 25 MiB,
  first: Any = 1 MiB,
  overlap: Bool = true,
  buffers: Bool = false,
) {
  model = graph(file)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply =
    (if dp > 1 then [if each then each_parameter(dp, overlap) else data_parallel(dp, bucket, overlap, first: first)] else []) +
    (if buffers then [norm_buffers(dp)] else []) + (if tp > 1 then [tensor_parallel(tp, overlap)] else [])
  schedule = one_f_one_b(pp, m)
  batch = { global: micro * m * dp, micro }
  precision = full_precision(accumulate: 12 B)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
