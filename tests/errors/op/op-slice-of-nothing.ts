import std.clusters.dgx

op halve(x: Tensor) {
  slice left: [x.shape[0], div(x.shape[1], 2)] of y
  output y: x.shape
}

model m() {
  x = input([batch, 128], fp32)
  y = halve(x) as halve
}

plan small {
  model = m()
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
