// GPT in Megatron-LM on DGX A100: the settings of Narayanan et al. (arXiv 2104.04473) and Korthikanti et al. (arXiv 2205.05198). Gradients are summed over
// the replicas after the last backward, in fp32.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute
import std.schedules.one_f_one_b, std.schedules.interleaved, std.optimizers.adam, std.costs.hosts, std.networks

plan megatron_a100(
  layers: Int = 48,
  hidden: Int = 6144,
  heads: Int = 64,
  vocab: Int = 51200,
  seq: Int = 2048,
  micro: Int = 1,
  global: Int = 4,
  tp: Int = 8,
  dp: Int = 1,
  pp: Int = 1,
  chunks: Int = 1,
  sequence_parallel: Bool = false,
  recompute_all: Bool = false,
  recompute_attention: Bool = true,
  power: Real = 1.167,
  bandwidth: Real = 0.8,
  flops: Real = 0.6,
) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: vocab, seq: seq)
  framework = { name: "Megatron-LM" }
  cluster = dgx_a100(nodes: div(tp * pp * dp + 7, 8))
  mesh = { tp, dp, pp }
  apply = [if sequence_parallel then tensor_sequence_parallel(tp) else tensor_parallel(tp), data_parallel(dp, overlap: false)]
  schedule = if chunks == 1 then one_f_one_b(p: pp, m: global / dp / micro)
    else interleaved_one_f_one_b(p: pp, m: global / dp / micro, v: chunks)
  batch = { micro: micro, global: global }
  tokens = seq
  precision = { compute: bf16, weights: bf16, gradients: fp32, accumulate: 0 B, free_gradients: false }
  optimizer = adam()
  recompute = if recompute_all then full() else if recompute_attention then selective("attn.core") else none
  costs = [slower(table "ops/gemm_a100_sxm.csv.gz", by: power), roofline(a100_sxm_80g, flops: flops, bytes: bandwidth, floor: 2 us)]
  network = [measured(table "ops/nccl_intra.csv.gz", where: { gpu: "a100_sxm", dtype: "half" }), a100_infiniband]
  host = megatron_host
}
