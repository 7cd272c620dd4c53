// GPT-3 175B on 1,024 A100: tensor parallel inside a node, 16 pipeline stages, 8 replicas. The
// configuration of Narayanan et al., arXiv 2104.04473, and Korthikanti et al., arXiv 2205.05198.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute
import std.schedules.one_f_one_b, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan gpt3_175b(tp: Int = 8, pp: Int = 16, dp: Int = 8, micro: Int = 1, global: Int = 1536) {
  model = gpt(layers: 96, hidden: 12288, heads: 96, vocab: 51200, seq: 2048)
  cluster = dgx_a100(nodes: tp * pp * dp / 8)
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), data_parallel(dp, bucket: 200 MiB)]
  schedule = one_f_one_b(p: pp, m: global / dp / micro)
  batch = { micro: micro, global: global }
  tokens = 2048
  precision = mixed(bf16)
  optimizer = adam()
  recompute = selective("attn.core")
  costs = training_a100
  network = a100_infiniband + nccl_ampere + a100_statistical + [flow()] // the first to answer; `tsrun --network all` compares them
  host = megatron_host
  framework = { name: "Megatron-LM" } // the kind of run: how sure the step time is
}
