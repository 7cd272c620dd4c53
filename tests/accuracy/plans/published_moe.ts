// Mixtures of experts in Megatron-LM on DGX H100: sequence parallel where tp > 1, distributed optimizer, experts over ranks of both tp and dp, routing forced to
// balance, no token dropped. What the sources leave open is set as NVIDIA's recipes do: activations run again in the backward.
import std.models.qwen3, std.models.deepseek, std.models.llama4, std.models.mixtral, std.clusters.dgx, std.costs, std.networks, std.hosts,
  std.precision
import std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data, std.strategies.fp8,
  std.strategies.recompute
import std.schedules.one_f_one_b, std.schedules.interleaved, std.optimizers.adam

plan published_moe(
  model: Model,
  tp: Int = 1,
  pp: Int = 1,
  ep: Int = 8,
  cp: Int = 1,
  etp: Int = 1,
  gpus: Int = 16,
  chunks: Int = 1,
  micro: Int = 1,
  global: Int = 1024,
  fp8: Bool = false,
  ed: Int = max(1, div(ep * etp, tp * cp)),
  dp: Int = div(gpus, tp * cp * pp * max(1, div(ep * etp, tp * cp))),
) {
  model = model
  cluster = dgx_h100(nodes: div(gpus, 8))
  mesh = { tp, cp, ed, dp, pp }
  apply = [
    if tp > 1 then tensor_sequence_parallel(tp) else none,
    if cp > 1 then context_parallel(cp) else none,
    if etp > 1 then [expert_parallel(ed), expert_tensor_parallel(tp)] else expert_parallel(tp * cp * ed, batch: ed),
    zero1(ed * dp * cp),
    if fp8 then fp8_products() else none,
    selective("*.act"),
  ]
  schedule = if chunks == 1 then one_f_one_b(p: pp, m: div(global, micro * ed * dp))
    else interleaved_one_f_one_b(p: pp, m: div(global, micro * ed * dp), v: chunks)
  batch = { micro: micro * ed }
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
