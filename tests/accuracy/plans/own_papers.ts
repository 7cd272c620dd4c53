// Runs that papers tell of. Llama 3 405B (arXiv 2407.21783, section 3.3): 126 layers, one a chunk of an interleaved pipeline whose first and last chunks have
// none; keys and values are gathered for context parallelism; nothing is computed again. DeepSeek-V3 (arXiv 2412.19437, section 3): examples/deepseek_v3.ts.
import std.models.llama, std.models.deepseek, std.clusters.dgx, std.strategies.megatron, std.strategies.context, std.strategies.data,
  std.strategies.experts
import std.strategies.fp8, std.strategies.recompute, std.schedules.interleaved, std.schedules.dual_pipe, std.optimizers.adam, std.precision,
  std.costs.hosts
import std.networks, std.costs.sources

plan own_papers(
  inner: Int = 1,
  nodes: Int = 1,
  tp: Int = 8,
  cp: Int = 1,
  pp: Int = 16,
  dp: Int = 64,
  seq: Int = 8192,
  batch: Int = 2048,
  experts: Bool = inner > 1,
) {
  model = if experts then deepseek_v3(seq: seq) else llama3_405b(seq: seq)
  cluster = if experts then dgx_h800(nodes: inner * nodes * dp * pp / 8) else dgx_h100(nodes: tp * cp * pp * dp / 8)
  mesh = { inner, nodes, tp, cp, dp, pp }
  apply = if experts then [
    node_expert_parallel(inner, nodes, top: 8, limit: 4, sent: 0.5),
    zero1(inner * nodes * dp, bucket: 200 MiB),
    fp8_products("layer[*]"),
    [selective(ops, discard: true) for ops in ["*.ln1", "*.ln2", "*.norm", "*.query.up", "*.keys.up", "*.rotary", "*.act"]],
  ] else [tensor_sequence_parallel(tp), context_parallel(cp, overlap: false), zero1(dp * cp, bucket: 400 MiB)]
  schedule = if experts then dual_pipe(
    p: pp,
    m: batch / (inner * nodes * dp),
    sizes: [if s == pp - 1 then 2 else 4 for s in 0..pp],
  ) else interleaved_one_f_one_b(p: pp, m: batch / dp, v: 8, sizes: [if s == 0 or s == 8 * pp - 1 then 0 else 1 for s in 0..8 * pp])
  batch = { micro: inner * nodes, global: batch }
  precision = if experts then mixed(bf16, gradients: bf16) else mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
