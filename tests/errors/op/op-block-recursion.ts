import std.ops.nn, std.clusters.dgx

block stack(x: Tensor) {
  u = linear(x, out: 512) as up
  yield stack(u)
}

model mine(hidden: Int = 512) {
  x = input([batch, 128, hidden], bf16)
  y = stack(x)
}

plan small {
  model = mine()
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
