// DeepSeek-V3 on 2,048 H800 (arXiv 2412.19437, section 3): 16 pipeline stages in both directions
// (DualPipe), experts over 64 ranks of 8 nodes, tokens sent to at most 4 nodes and in fp8, products
// in fp8, ZeRO-1, 15,360 sequences of 4,096 tokens a step. Norms, the products that latent attention
// widens keys and queries by, and the SwiGLU of experts are computed again. The last stage has the
// head and a module that predicts a further word, so fewer layers; which, the paper does not say.
// Gradients are bf16, which is more than the authors needed for it to fit: they keep some inputs and
// the optimizer's moments in fewer bits. Their run took 180,000 GPU hours for 10^12 tokens (section
// 1): 3.16 million tokens a second, 19.9 s a step.
import std.models.deepseek, std.clusters.dgx, std.strategies.experts, std.strategies.data, std.strategies.fp8, std.strategies.recompute
import std.schedules.dual_pipe, std.optimizers.adam, std.precision, std.costs.hosts, std.networks, std.costs.sources

plan deepseek_v3_2048(inner: Int = 8, nodes: Int = 8, dp: Int = 2, pp: Int = 16, global: Int = 15360) {
  model = deepseek_v3()
  cluster = dgx_h800(nodes: inner * nodes * dp * pp / 8)
  mesh = { inner, nodes, dp, pp }
  apply = [
    node_expert_parallel(inner, nodes, top: 8, limit: 4, sent: 0.5),
    zero1(inner * nodes * dp, bucket: 200 MiB),
    fp8_products("layer[*]"),
    [
      selective(ops, discard: true) for ops in ["*.ln1", "*.ln2", "*.norm", "*.query.up", "*.keys.up", "*.rotary", "*.act"]
    ],
  ]
  schedule = dual_pipe(p: pp, m: global / (inner * nodes * dp), sizes: if pp == 16 then [if s == 15 then 2 else 4 for s in 0..16] else [])
  batch = { micro: inner * nodes, global: global }
  precision = mixed(bf16, gradients: bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
