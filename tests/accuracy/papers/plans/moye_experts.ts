// Mixtral in Megatron-LM on one node of eight A800 (Moye's tables 2 and 10, figures 7 and 8): sequences of its length, one a micro-batch.
import std.models.llama_moe, std.clusters.dgx, std.strategies.data, std.strategies.experts, std.strategies.recompute,
  std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan moye_experts(
  ep: Int = 8,
  pp: Int = 1,
  m: Int = pp,
  layers: Int = 8,
  hidden: Int = 4096,
  heads: Int = 32,
  ffn: Int = 14336,
  experts: Int = 8,
  seq: Int = 4096,
  nodes: Int = 1,
) {
  model = llama_moe(
    layers: layers,
    hidden: hidden,
    heads: heads,
    kv_heads: 8,
    ffn: ffn,
    experts: experts,
    top: 2,
    vocab: 32000,
    seq: seq,
    load: 1,
  )
  cluster = dgx_a800(nodes: nodes)
  mesh = { ep, pp }
  apply = [expert_parallel(ep), data_parallel(ep)]
  schedule = one_f_one_b(p: pp, m: m)
  batch = { micro: ep, global: m * ep }
  tokens = seq
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
  network = a100_infiniband
  host = megatron_host
  framework = { name: "Megatron-LM" }
}
