import std.models.llama, std.clusters.dgx, std.precision, std.optimizers.adam, std.networks, std.costs.sources, std.costs.hosts
import std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b

schedule eager(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    for i in 0..m { F(i) B(i) }
  }
}
plan own(tp: Int = 4, pp: Int = 1, dp: Int = 2, global: Int = 8) {
  model = llama3_8b(seq: 8192)
  cluster = dgx_h100(nodes: tp * pp * dp / 8)
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), zero1(dp, bucket: 200 MiB)]
  schedule = one_f_one_b(p: pp, m: global / dp)
  batch = { micro: 1, global: global }
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
