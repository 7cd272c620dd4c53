import std.ops.nn, std.clusters.dgx, std.precision, std.optimizers.adam, std.strategies.data, std.strategies.megatron
import std.schedules.one_f_one_b, std.gpus.nvidia

// Two layers of a frozen product of 2 MiB in bf16, and an adapter of 32 KiB each way beside it.
model adapted() {
  ids = input([batch, 128], int64)
  x = embedding(ids, 1024, 1024, frozen: true) as embed
  repeat 2 as layer {
    p = linear(x, out: 1024, frozen: true) as mlp.up
    a = linear(x, out: 16) as mlp.adapter_in
    b = linear(a, out: 1024) as mlp.adapter_out
    x = add(p, b) as mlp.summed
  }
  loss = cross_entropy(x) as loss
}

plan frozen(tp: Int = 1, dp: Int = 4) {
  model = adapted()
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp }
  apply = [data_parallel(dp)]
  schedule = one_f_one_b(p: 1, m: 1)
  batch = { micro: 1 }
  precision = mixed(bf16) with { free_gradients = false }
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
