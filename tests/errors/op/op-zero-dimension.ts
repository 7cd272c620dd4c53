import std.ops.nn, std.clusters.dgx

model mine(hidden: Int = 512) {
  x = input([batch, 128, hidden], bf16)
  u = linear(x, out: div(hidden, 1024)) as up
}

plan small {
  model = mine()
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
