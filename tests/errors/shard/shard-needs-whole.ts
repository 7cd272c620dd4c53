import std.ops.nn, std.clusters.dgx

model two(hidden: Int = 512) {
  x = input([batch, 128, hidden], bf16)
  e = linear(x, out: hidden) as first
  u = linear(e, out: 4 * hidden) as up
  n = layernorm(u) as norm
}

strategy mine(t: Axis) {
  rule up {
    match linear as "up"
    split w dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
}

plan small {
  model = two()
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2 }
  apply = [mine(tp)]
  costs = [roofline(a100_sxm_80g)]
}
