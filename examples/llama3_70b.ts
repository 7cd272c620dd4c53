// Llama 3 70B on 128 H100: tensor parallel inside a node, four pipeline stages, four replicas with
// ZeRO-1.
import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data
import std.schedules.one_f_one_b, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan llama3_70b(tp: Int = 8, pp: Int = 4, dp: Int = 4, micro: Int = 1, global: Int = 128) {
  model = llama(layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocab: 128256, seq: 8192)
  cluster = dgx_h100(nodes: tp * pp * dp / 8)
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
  framework = { name: "Megatron-LM" }
}
