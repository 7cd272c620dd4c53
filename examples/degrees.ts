// Which degrees of parallelism train GPT-3 175B fastest on 1,024 A100? Try: trainspec sweep
// examples/degrees.ts
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute
import std.schedules.interleaved, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan gpt3_175b(
  devices: Int = 1024,
  tp: Int = 8,
  pp: Int = 16,
  dp: Int = devices / tp / pp,
  v: Int = 1,
  micro: Int = 1,
  global: Int = 1536,
) {
  model = gpt(layers: 96, hidden: 12288, heads: 96, vocab: 51200, seq: 2048)
  cluster = dgx_a100(nodes: devices / 8)
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), data_parallel(dp, bucket: 200 MiB)]
  schedule = interleaved_one_f_one_b(p: pp, m: global / dp / micro, v: v)
  batch = { micro: micro, global: global }
  tokens = 2048
  precision = mixed(bf16) with { free_gradients = false } // they stay in Megatron-LM's buffer
  optimizer = adam()
  recompute = selective("attn.core")
  costs = training_a100
  network = a100_infiniband
  host = megatron_host
  framework = { name: "Megatron-LM" }
}

search degrees of gpt3_175b {
  vary tp in [2, 4, 8]
  vary pp in [4, 8, 16, 32]
  set dp = devices / (tp * pp)
  vary v in [1, 2, 3]
  vary micro in [1, 2, 4]
  require 96 % (pp * v) == 0, "each chunk has as many layers"
  require global % (dp * micro) == 0, "replicas share the batch evenly"
  require v == 1 or global / dp / micro % pp == 0, "interleaving takes micro-batches in groups of stages"
  require peak_memory < 72 GiB, "memory to spare for fragmentation"
  minimize step_time
}
