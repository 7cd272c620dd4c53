// Three models of SimAI on 1,024 H100 in hosts of 8 to 64 GPUs: figure 11. Pipelines are those of table 3.
import std.models.gpt, std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources
let models = [
  { gpt: true, layers: 40, hidden: 5120, heads: 40, ffn: 20480, seq: 2048, pp: 1 },
  { gpt: false, layers: 80, hidden: 8192, heads: 64, ffn: 22016, seq: 4096, pp: 2 },
  { gpt: true, layers: 96, hidden: 12288, heads: 96, ffn: 49152, seq: 2048, pp: 8 },
]
plan simai_hosts(
  which: Int = 0,
  host: Int = 8,
  tp: Int = 8,
  gpus: Int = 1024,
  global: Int = 1024,
  pp: Int = models[which].pp,
  dp: Int = div(div(gpus, tp), pp),
) {
  model = if models[which].gpt then gpt(
    layers: models[which].layers,
    hidden: models[which].hidden,
    heads: models[which].heads,
    vocab: 50304,
    seq: models[which].seq,
    tied: true,
    flash: true,
  ) else llama(
    layers: models[which].layers,
    hidden: models[which].hidden,
    heads: models[which].heads,
    kv_heads: models[which].heads,
    ffn: models[which].ffn,
    vocab: 32000,
    seq: models[which].seq,
  )
  cluster = nvswitch_nodes(div(gpus, host), kind: h100_sxm, gpus: host, nvlink: 450 GB/s, nic: 400 Gb/s)
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), zero1(dp, bucket: 1 TiB)]
  schedule = one_f_one_b(p: pp, m: div(global, dp))
  batch = { micro: 1, global: global }
  tokens = models[which].seq
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
