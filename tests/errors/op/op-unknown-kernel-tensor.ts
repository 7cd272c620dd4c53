import std.ops.nn, std.clusters.dgx

op twice(x: Tensor) {
  output y: x.shape
  forward { reads = [x], writes = [z] }
  backward(input) { reads = [dy], writes = [dx] }
}

model mine(hidden: Int = 512) {
  x = input([batch, 128, hidden], bf16)
  u = twice(x) as up
}

plan small {
  model = mine()
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
