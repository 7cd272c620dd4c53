// One weight of 1024 x 1024 on four replicas with a dealt-out optimizer: kernels of the update that
// go through all gradients move four times what those of a part do.
import std.ops.nn, std.clusters.dgx, std.strategies.data, std.precision, std.optimizers.adam

model one() {
  x = images(batch, [1024])
  y = linear(x, out: 1024) as layer
}

plan update {
  model = one()
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 4 }
  apply = [zero1(dp)]
  batch = { micro: 1 }
  tokens = 1
  precision = mixed(bf16)
  optimizer = megatron_update(sgd(momentum: false))
  costs = [roofline(h100_sxm)]
}
