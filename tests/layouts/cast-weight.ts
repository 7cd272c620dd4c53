import std.clusters.dgx

// Weights are cast with the update, not when they are used.
op product(x: Tensor, out: Int) {
  weight w: [out, last(x.shape)]
  output y: with_last(x.shape, out)
  cast w dtype fp8
  contracts x dim -1
  forward { kernel gemm { m = rows(y), n = out, k = last(x.shape), flops = 2 * numel(y) * last(x.shape), reads = [x, w], writes = [y] } }
}

model one(width: Int) {
  x = input([batch, width])
  y = product(x, out: width) as product
}

plan small {
  model = one(width: 64)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
