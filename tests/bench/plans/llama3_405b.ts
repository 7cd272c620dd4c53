// Llama 3 405B on 131,072 H100, of which one node is slow.
import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.one_f_one_b, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan llama3_405b(tp: Int = 8, pp: Int = 16, dp: Int = 1024, micro: Int = 1, global: Int = 16384) {
  model = llama(layers: 128, hidden: 16384, heads: 128, kv_heads: 8, ffn: 53248, vocab: 128256, seq: 8192)
  cluster = dgx_h100(nodes: tp * pp * dp / 8) with { gpu[77, *] { speed = 0.8 } }
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), zero1(dp, bucket: 200 MiB)]
  schedule = one_f_one_b(p: pp, m: global / dp / micro)
  batch = { micro: micro, global: global }
  tokens = 8192
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
