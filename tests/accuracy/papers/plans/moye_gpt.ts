// GPT in Megatron-LM as Moye's sections 8 and 9 have it: models_dense.csv, degrees of figure 12 and table 8. `half`: weights in 16 bits
// with fp32 gradients and Adam (18 bytes a parameter) in place of fp32; `tensor_cores`: products of fp32 in TF32.
import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.strategies.recompute, std.schedules.one_f_one_b
import std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources, std.gpus.hopper

plan moye_gpt(
  layers: Int = 96,
  hidden: Int = 12288,
  heads: Int = 96,
  seq: Int = 2048,
  pp: Int = 12,
  tp: Int = 8,
  dp: Int = 1,
  m: Int = 10 * pp,
  half: Bool = false,
  tensor_cores: Bool = true,
  again: Bool = true,
  nodes: Int = tp * pp * dp / 8,
) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: 51200, seq: seq)
  cluster = dgx_h800(nodes: nodes)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: m)
  batch = { micro: 1, global: m * dp }
  tokens = seq
  precision = if half then mixed(bf16) else full_precision({ gemm: if tensor_cores then tf32 else fp32 })
  optimizer = adam()
  recompute = if again then full() else none
  costs = if half then training_h100 else [
    fit("std/fits/h100_sxm_elementwise.fit.json"),
    roofline(h800_sxm, flops: 0.6, bytes: 0.8, floor: 2 us),
  ]
  network = h100_infiniband
  host = megatron_host
  framework = { name: "Megatron-LM" }
}
