import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b, std.optimizers.adam,
  std.precision, std.networks, std.costs.sources

plan other_links(
  net: List = h100_infiniband,
  nvlink: Real = 1,
  nic: Real = 1,
  nvlink_wait: Real = 1,
  nic_wait: Real = 1,
  tp: Int = 4,
  dp: Int = 4,
  pp: Int = 2,
) {
  model = llama(layers: 8, hidden: 2048, heads: 16, kv_heads: 8, ffn: 5632, vocab: 32000, seq: 2048)
  cluster = nvswitch_nodes(
    nodes: 4,
    kind: h100_sxm,
    nvlink: 450 GB/s * nvlink,
    nic: 400 Gb/s * nic,
    nvlink_latency: 0.6 us * nvlink_wait,
    nic_latency: 1.8 us * nic_wait,
  )
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), zero1(dp, bucket: 200 MiB)]
  schedule = one_f_one_b(p: pp, m: 8)
  batch = { micro: 1, global: 32 }
  tokens = 2048
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = net
}
