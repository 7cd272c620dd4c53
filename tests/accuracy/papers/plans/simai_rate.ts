// GPT-3 175B as SimAI runs it (table 3) on 1,024 GPUs with NICs of one rate: figure 10.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources, std.gpus.hopper
plan simai_rate(tp: Int = 8, pp: Int = 8, dp: Int = 16, global: Int = 256, nic: Rate = 400 Gb/s, sp: Bool = true, h20: Bool = false) {
  model = gpt(layers: 96, hidden: 12288, heads: 96, vocab: 50304, seq: 2048, tied: true, flash: true)
  cluster = nvswitch_nodes(tp * pp * dp / 8, kind: if h20 then h20_sxm else h100_sxm, nvlink: 450 GB/s, nic: nic)
  mesh = { tp, dp, pp }
  apply = [if sp then tensor_sequence_parallel(tp) else tensor_parallel(tp), zero1(dp, bucket: 1 TiB)]
  schedule = one_f_one_b(p: pp, m: global / dp)
  batch = { micro: 1, global: global }
  tokens = 2048
  precision = mixed(bf16)
  optimizer = adam()
  costs = if h20 then [roofline(h20_sxm, flops: 0.9, bytes: 0.8)] else training_h100
  network = h100_infiniband
  host = megatron_host
}
