// Turing-530B on 2,240 A100: the degrees, micro-batches, recomputation and interleaving that Calculon's
// search varies too (github.com/calculon-ai/calculon, models/turing-530B.json; Isaev et al., SC '23).
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute
import std.schedules.interleaved, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan turing_530b(
  devices: Int = 2240,
  tp: Int = 8,
  pp: Int = 35,
  dp: Int = devices / tp / pp,
  v: Int = 1,
  micro: Int = 1,
  global: Int = 2240,
  again: Int = 1,
) {
  model = gpt(layers: 105, hidden: 20480, heads: 128, vocab: 51200, seq: 2048)
  cluster = dgx_a100(nodes: devices / 8)
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), data_parallel(dp, bucket: 200 MiB)]
  schedule = interleaved_one_f_one_b(p: pp, m: global / dp / micro, v: v)
  batch = { micro: micro, global: global }
  tokens = 2048
  precision = mixed(bf16)
  optimizer = adam()
  recompute = if again == 0 then none else if again == 1 then selective("attn.core") else full()
  costs = training_a100
  network = a100_infiniband
  host = megatron_host
}

search degrees of turing_530b {
  vary tp in [1, 2, 4, 8]
  vary pp in [1, 5, 7, 35]
  set dp = devices / (tp * pp)
  vary v in [1, 3, 5, 7, 15, 21, 35, 105]
  vary micro in [1, 2, 4, 5, 7, 8]
  vary again in [0, 1, 2]
  require devices % (tp * pp) == 0, "devices are divided evenly"
  require 105 % (pp * v) == 0, "each chunk has as many layers"
  require v == 1 or pp > 1, "a pipeline is interleaved"
  require global % (dp * micro) == 0, "replicas share the batch evenly"
  require v == 1 or global / dp / micro % pp == 0, "interleaving takes micro-batches in groups of stages"
  minimize step_time
}
