// A product whose op the test gives further arguments and inputs, which it does not use.
import std.strategies.data, std.strategies.deepspeed, std.strategies.offload, std.strategies.recompute
import std.clusters.dgx, std.precision, std.optimizers.adam, std.gpus.nvidia, std.ops.nn

op mine(x: Tensor, w_: Int = 1) {
  weight weight_: [1024, 1024]
  output y: x.shape
  contracts x dim -1
  forward { kernel gemm { m = rows(y), n = 1024, k = 1024, flops = 2 * numel(y) * 1024, reads = [x, weight_], writes = [y] } }
  backward(input) { kernel gemm { m = rows(y), n = 1024, k = 1024, flops = 2 * numel(y) * 1024, reads = [dy, weight_], writes = [dx] } }
  backward(weight) { kernel gemm { n = 1024, k = rows(y), m = 1024, flops = 2 * numel(y) * 1024, reads = [dy, x], writes = [dweight_] } }
  saves [x]
}

model many() {
  z = input([batch, 1024], bf16)
  repeat 4 as layer { z = mine(z) as mine }
}

plan names(dp: Int = 8, use: Any = none) {
  model = many()
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [use]
  batch = { micro: 1024 }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
