// A small Llama on H100 with any of the strategies over it, by name. Costs are the roofline's, links carry their whole bandwidth.
import std.models.llama, std.models.llama_moe, std.clusters.dgx, std.optimizers.adam, std.precision, std.schedules.one_f_one_b,
  std.schedules.zero_bubble, std.schedules.dual_pipe
import std.strategies.experts, std.strategies.fp8, std.strategies.offload, std.strategies.tied, std.strategies.data,
  std.strategies.deepspeed, std.strategies.context, std.strategies.megatron, std.strategies.recompute

fn among(name: String, names: List) -> Bool = any([n == name for n in names])

// ZeRO 3 of DeepSpeed without buckets.
fn op_by_op(d: Axis, persist: Int, reuse: Int) = deepspeed_zero3(
  d,
  prefetch_bucket_size: 0,
  param_persistence_threshold: persist,
  max_reuse_distance: reuse,
  reduce_bucket_size: 0,
)

plan strategies(
  use: List = [],
  dp: Int = 1,
  tp: Int = 1,
  cp: Int = 1,
  ep: Int = 1,
  r: Int = 1,
  pp: Int = 1,
  m: Int = 2,
  kv: Int = 16,
  seq: Int = 1024,
  prefetch: Int = 1,
  zb: Bool = false,
  both: Bool = false,
  experts: Int = 0,
  load: Any = 1,
  limit: Int = 0,
  bucket: Size = 1 TiB,
) {
  model = if experts > 0 then llama_moe(
    layers: 8,
    hidden: 1024,
    heads: 16,
    kv_heads: kv,
    ffn: 512,
    experts: experts,
    top: 2,
    vocab: 32000,
    seq: seq,
    shared: 512,
    load: load,
  ) else llama(layers: 8, hidden: 1024, heads: 16, kv_heads: kv, ffn: 4096, vocab: 32000, seq: seq)
  cluster = dgx_h100(nodes: ceil_div(dp * tp * cp * ep * r * pp, 8))
  mesh = { tp, cp, ep, dp, r, pp }
  apply = [
    if among("tp", use) then tensor_parallel(tp) else none,
    if among("sp", use) then tensor_sequence_parallel(tp) else none,
    if among("async", use) then tensor_sequence_parallel(tp, gather: own_part) else none,
    if among("tp_ring", use) then tensor_sequence_parallel(tp, gather: ring, scatter: ring) else none,
    if among("vocabulary", use) then vocabulary_parallel(tp) else none,
    if among("ep", use) then expert_parallel(ep) else none,
    if among("ep_nodes", use) then node_expert_parallel(ep, r, 2, limit) else none,
    if among("ep_fp8", use) then expert_parallel(ep, sent: 0.5) else none,
    if among("etp", use) then expert_tensor_parallel(tp) else none,
    if among("fp8", use) then fp8_products() else none,
    if among("tied", use) then tied_embeddings() else none,
    if among("offload", use) then offload_activations() else none,
    if among("offload_optimizer", use) then offload_optimizer() else none,
    if among("update_on_host", use) then update_on_host() else none,
    if among("full", use) then full() else none,
    if among("second", use) then full(every: 2) else none,
    if among("selective", use) then selective("attn.core") else none,
    if among("ring", use) then context_parallel(cp) else none,
    if among("unbalanced", use) then context_parallel(cp, balanced: false) else none,
    if among("gather", use) then context_parallel(cp, overlap: true) else none,
    if among("ulysses", use) then ulysses(cp) else none,
    if among("ddp", use) then data_parallel(dp * cp * ep * r) else none,
    if among("threads", use) then torch_data_parallel(dp) else none,
    if among("zero1_beside", use) then zero1(dp * cp * ep * r, bucket: bucket, beside: true) else none,
    if among("zero1", use) then zero1(dp * cp * ep * r) else none,
    if among("zero2", use) then zero2(dp * cp * ep * r) else none,
    if among("zero3", use) then zero3(dp * cp * ep * r) else none,
    if among("ds1", use) then deepspeed_zero1(dp * cp * ep * r) else none,
    if among("ds2", use) then deepspeed_zero2(dp * cp * ep * r) else none,
    if among("ds3", use) then deepspeed_zero3(dp * cp * ep * r) else none,
    if among("ds3_little", use) then deepspeed_zero3(
      dp * cp * ep * r,
      prefetch_bucket_size: 10_000_000,
      param_persistence_threshold: 0,
      max_live_parameters: 40_000_000,
      max_reuse_distance: 0,
      reduce_bucket_size: 10_000_000,
    ) else none,
    if among("ds3_each", use) then op_by_op(dp * cp * ep * r, persist: 0, reuse: 0) else none,
    if among("ds3_at_limits", use) then op_by_op(dp * cp * ep * r, persist: 1024, reuse: 65_536_000) else none,
    if among("fsdp", use) then fsdp(dp * cp * ep * r, prefetch: prefetch) else none,
    if among("fsdp_keep", use) then fsdp(dp * cp * ep * r, reshard: false) else none,
    if among("hsdp", use) then hsdp(dp * cp * ep, r) else none,
  ]
  schedule = if both then dual_pipe(p: pp, m: m) else if zb then zb_h1(p: pp, m: m) else one_f_one_b(p: pp, m: m)
  batch = { micro: if among("ep_nodes", use) then ep * r else ep }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
