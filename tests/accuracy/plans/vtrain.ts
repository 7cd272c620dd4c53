// GPT in Megatron-DeepSpeed on A100 nodes with 800 Gb/s between them: the settings that vTrain's repository names for its measurements (1F1B, activation
// checkpointing, no sequence parallelism). Precision and optimizer are not stated there: mixed precision with fp32 gradients is assumed.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute
import std.schedules.one_f_one_b, std.optimizers.adam, std.networks

plan vtrain(
  layers: Int = 24,
  hidden: Int = 1024,
  heads: Int = 16,
  vocab: Int = 51200,
  seq: Int = 1024,
  micro: Int = 1,
  global: Int = 8,
  tp: Int = 1,
  dp: Int = 1,
  pp: Int = 1,
  power: Real = 1.15,
  bandwidth: Real = 0.8,
  flops: Real = 0.6,
  launch: Time = 58.7 us,
  collective: Time = 112 us,
  message: Time = 470 us,
  item: Time = 2.79 ms,
  step: Time = 1.88 ms,
) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: vocab, seq: seq)
  framework = { name: "Megatron-DeepSpeed" }
  cluster = nvswitch_nodes(nodes: div(tp * pp * dp + 7, 8), kind: a100_sxm_80g, nvlink: 300 GB/s, nic: 100 Gb/s)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp, overlap: false)]
  schedule = one_f_one_b(p: pp, m: global / dp / micro)
  batch = { micro: micro, global: global }
  tokens = seq
  precision = { compute: bf16, weights: bf16, gradients: bf16, accumulate: 0 B, free_gradients: false }
  optimizer = adam()
  recompute = full()
  costs = [slower(table "ops/gemm_a100_sxm.csv.gz", by: power), roofline(a100_sxm_80g, flops: flops, bytes: bandwidth, floor: 2 us)]
  network = [measured(table "vtrain/allreduce_a100.csv", of: "all_reduce"), a100_infiniband]
  host = { launch: launch, collective: collective, message: message, item: item, step: step }
}
