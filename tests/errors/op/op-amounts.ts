import std.clusters.dgx, std.ops.nn

op less_than_nothing(x: Tensor) {
  output y: x.shape
  forward { flops = -5, bytes = -3 B }
}

op without_end(x: Tensor) {
  output y: x.shape
  forward { flops = 1 }
  saves [1e18 GiB]
}

model m() {
  x = embedding(input([batch, 4], int64), 8, 16)
  y = less_than_nothing(x)
  z = without_end(x)
}

plan p {
  model = m()
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
