// One layer of experts in Megatron-LM on a node of eight H100, forward and backward, over and over: no optimizer, no sum over replicas. Nothing is fitted: times come
// from the fits as they are, in bursts, since a single layer does not heat the device as a training step does.
import std.ops.moe, std.clusters.dgx, std.strategies.experts, std.strategies.fp8, std.precision, std.networks, std.costs

// Hidden states that want a gradient.
op states(samples: Int, seq: Int, hidden: Int) {
  weight w: [1]
  output y: [samples, seq, hidden] dtype bf16
}

model layer(hidden: Int, ffn: Int, count: Int, top: Int, shared: Int, seq: Int) {
  x = states(batch, seq, hidden) as states
  y = experts(x, experts: count, top: top, ffn: ffn, shared: shared) as moe
}

// The part of a token's copies that travels, where one for each rank does.
fn travels(once: Bool, ranks: Int, top: Int) -> Real = if once then nodes_met(ranks, top) / top else 1.0

strategy samples(e: Axis) {
  rule states {
    match states
    split y dim 0 over e
  }
}

plan moe_layer(
  hidden: Int = 4096,
  ffn: Int = 14336,
  experts: Int = 8,
  top: Int = 2,
  shared: Int = 0,
  seq: Int = 4096,
  ep: Int = 8,
  fp8: Bool = false,
  once: Bool = false,
) {
  model = layer(hidden: hidden, ffn: ffn, count: experts, top: top, shared: shared, seq: seq)
  framework = { name: "Megatron-LM" }
  cluster = dgx_h100(nodes: 1)
  mesh = { ep }
  apply = [
    samples(ep),
    expert_parallel(ep, sent: travels(once, ep, top), returned: travels(once, ep, top)) with { remove tokens },
    if fp8 then fp8_products("moe") else none,
  ]
  batch = { micro: ep }
  tokens = seq
  precision = mixed(bf16)
  costs = training_costs(
    "std/fits/h100_sxm.fit.json",
    kind: h100_sxm,
    power: 1,
    flops: 0.6,
    bytes: 0.76,
    experts: "std/fits/h100_sxm_experts.fit.json",
    latent: "std/fits/h100_sxm_latent.fit.json",
  )
  network = h100_infiniband
}
