// One collective inside a node, by the alpha-beta model: a step that does nothing else.
import std.clusters.dgx, std.networks

op weights(x: Tensor, elements: Int) {
  weight w: [elements] dtype int8
  output y: x.shape
  forward {}
  backward(weight) {}
}

model holder(elements: Int) {
  x = input([1], fp32)
  y = weights(x, elements) as weights
}

strategy all_reduce_step(t: Axis) { rule r { match *; after step: all_reduce(parameters, over: t) } }
strategy all_gather_step(t: Axis) { rule r { match *; after step: all_gather(parameters, over: t) } }
strategy reduce_scatter_step(t: Axis) { rule r { match *; after step: reduce_scatter(parameters, over: t) } }
strategy all_to_all_step(t: Axis) { rule r { match *; after step: all_to_all(parameters, over: t) } }

plan collective(
  kind: String,
  size: Int,
  ranks: Int,
  gpu: Gpu = h100_sxm,
  fit: Bool = false,
  base: Time = 12 us,
  hop: Time = 1 us,
  efficiency: Real = 0.8,
  ramp: Size = 0 B,
) {
  model = holder(elements: size)
  cluster = nvswitch_nodes(nodes: 1, kind: gpu, nvlink: if gpu.name == "h100_sxm" then 450 GB/s else 300 GB/s, nic: 400 Gb/s)
  mesh = { t: ranks }
  apply = [
    if kind == "all_reduce" then all_reduce_step(t) else if kind == "all_gather" then all_gather_step(t) else if kind == "reduce_scatter"
      then reduce_scatter_step(t) else all_to_all_step(t),
  ]
  precision = { compute: fp32, weights: int8, gradients: fp32 }
  costs = [roofline(gpu)]
  network = if fit then [alpha_beta(base: base, hop: hop, efficiency: efficiency, ramp: ramp)] else if gpu.name == "h100_sxm"
    then nvswitch_h100 else nvswitch_a100
}
