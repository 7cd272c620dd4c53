// One product of 1024 x 1024, sharded over four ranks through buffers: 2 MiB are copied out of what
// is gathered (2 B read and written), 6 MiB cast into what is scattered (2 B read, 4 B written).
import std.ops.nn, std.clusters.dgx, std.strategies.data, std.precision, std.optimizers.adam

model two() {
  x = images(batch, [1024])
  repeat 2 as layer {
    x = linear(x, out: 1024) as part
  }
}

plan copied(copied: Bool = true) {
  model = two()
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 4 }
  apply = [fsdp(dp, copied: copied, keep_last: true)]
  batch = { micro: 1 }
  tokens = 1
  precision = mixed(bf16)
  optimizer = cast_when_gathered(adam())
  costs = [roofline(h100_sxm)]
}
