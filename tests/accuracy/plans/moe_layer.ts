// One layer of experts in Megatron-LM on a node of eight H100, forward and backward, over and over: no optimizer, no sum over replicas. Nothing is fitted: times come
// from the fits as they are, in bursts, since a single layer does not heat the device as a training step does.
import std.ops.moe, std.clusters.dgx, std.strategies.experts, std.strategies.fp8, std.precision, std.networks, std.costs.training,
  std.exchange, std.frameworks.profile

// Hidden states that want a gradient.
op states(samples: Int, seq: Int, hidden: Int) {
  weight w: [1]
  output y: [samples, seq, hidden] dtype bf16
}

model layer(hidden: Int, ffn: Int, count: Int, top: Int, shared: Int, seq: Int) {
  x = states(batch, seq, hidden) as states
  y = experts(x, experts: count, top: top, ffn: ffn, shared: shared) as moe
}

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
  exchange: String = "all_to_all",
  x: Exchange = exchange_of(exchange),
) {
  model = layer(hidden: hidden, ffn: ffn, count: experts, top: top, shared: shared, seq: seq)
  framework = { name: "Megatron-LM" }
  cluster = dgx_h100(nodes: 1)
  mesh = { ep }
  apply = [
    samples(ep),
    exchange_experts(x, ep, 1, top) with { remove tokens },
    if fp8 then [fp8_products("moe", format: fp8_block), turned_products("moe")] else none,
  ]
  batch = { micro: ep }
  tokens = seq
  precision = mixed(bf16) with { free_gradients = false }
  costs = training(costs_h100 with { power = 1, power_eight = 1 }, if fp8 then "fp8_block" else "bf16")
  network = exchange_network(x, ep, ep, 1, top, link_of("h100")) + h100_infiniband
}
