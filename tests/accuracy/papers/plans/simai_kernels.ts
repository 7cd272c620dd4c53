// GPT-3 175B on 1,024 H100 as SimAI runs it: kernels by H100's own costs, or by the A100's scaled to it or to H20 (figure 8).
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources, std.gpus.hopper, std.gpus.nvidia

plan simai_kernels(how: Int = 0, global: Int = 256) {
  model = gpt(layers: 96, hidden: 12288, heads: 96, vocab: 50304, seq: 2048, tied: true, flash: true)
  cluster = nvswitch_nodes(128, kind: if how == 2 then h20_sxm else h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)
  mesh = { tp: 8, dp: 16, pp: 8 }
  apply = [tensor_sequence_parallel(tp), zero1(dp, bucket: 1 TiB)]
  schedule = one_f_one_b(p: pp, m: div(global, 16))
  batch = { micro: 1, global: global }
  tokens = 2048
  precision = mixed(bf16)
  optimizer = adam()
  costs = if how == 0 then training_h100 else [
    scale(c, from: a100_sxm_80g, to: if how == 2 then h20_sxm else h100_sxm) for c in training_a100
  ]
  network = h100_infiniband
  host = megatron_host
}
