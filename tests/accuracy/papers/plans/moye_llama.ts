// Llama-3 8B in Megatron-LM on one node of eight A800: Moye's table 2.
import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.optimizers.adam, std.precision
import std.costs.hosts, std.networks, std.costs.sources

plan moye_llama(tp: Int = 4, dp: Int = 2, m: Int = 4, seq: Int = 4096) {
  model = llama3_8b(seq: seq)
  cluster = dgx_a800(nodes: 1)
  mesh = { tp, dp }
  apply = [tensor_parallel(tp), data_parallel(dp, bucket: 160 MB)]
  batch = { micro: 1, global: m * dp }
  tokens = seq
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
  network = a100_infiniband
  host = megatron_host
  framework = { name: "Megatron-LM" }
}
