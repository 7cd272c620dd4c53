import std.ops.nn, std.clusters.dgx

block half(x: Tensor, width: Int) {
  require width % 64 == 0, "widths are multiples of 64"
  y = linear(x, out: width) as up
  yield y
}

model mine(layers: Int, width: Int = 512) {
  expect layers % 2 == 0, "layers come in pairs"
  x = input([batch, 128, 512], bf16)
  repeat layers as layer {
    x = half(x, width: if layer == 2 then 96 else width) as half
  }
}

plan small {
  model = mine(layers: 3)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
