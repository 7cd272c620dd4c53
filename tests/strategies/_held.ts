// Layers that are frozen whole (the first `frozen`), adapters, a frozen table and head, a tied head.
import std.ops.nn, std.clusters.dgx, std.strategies.data, std.strategies.deepspeed, std.strategies.recompute, std.strategies.tied
import std.strategies.local_sgd, std.schedules.single, std.optimizers.adam, std.precision, std.costs.sources
op norm(x: Tensor, frozen: Bool) {
  weight g: [last(x.shape)] trained if not frozen
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x, g], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, g], writes = [dx] } }
  backward(weight) { kernel elementwise if not frozen { reads = [dy, x], writes = [dg] } }
  saves [x, 4 B * rows(x)]
}
model net(frozen: Int, adapters: Bool, table: Bool, ends: Bool) {
  ids = input([batch, 1024], int64)
  x = embedding(ids, 32768, 1024, frozen: table) as embed
  repeat 8 as layer {
    n = norm(x, layer < frozen) as ln
    u = linear(n, out: 4096, frozen: layer < frozen) as up
    if adapters {
      a = linear(n, out: 8) as adapter.in
      b = linear(a, out: 4096) as adapter.out
      u = add(u, b) as adapted
    }
    g = gelu(u) as act
    d = linear(g, out: 1024, frozen: layer < frozen) as down
    x = add(x, d) as residual
  }
  n = norm(x, ends) as final_norm
  logits = linear(n, out: 32768, frozen: ends) as head
  loss = cross_entropy(logits) as loss
}
strategy by_hand(inner: Axis, outer: Axis) {
  rule sums {
    match *
    after gradients: reduce_scatter(gradients, over: inner, bucket: 100 MiB)
    after gradients: all_reduce(gradients, over: outer, bucket: 100 MiB)
    after gradients: all_gather(gradients, over: inner, bucket: 100 MiB)
  }
}
plan held(
  is: Int = 1,
  m: Int = 1,
  frozen: Int = 0,
  adapters: Bool = false,
  table: Bool = false,
  ends: Bool = false,
  tied: Bool = false,
  use: String = "fsdp",
  again: Bool = false,
  average: Bool = false,
  free: Bool = false,
) {
  model = net(frozen, adapters, table, ends)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 4, is }
  apply = [
    if use == "fsdp" then fsdp(dp) else if use == "keep" then fsdp(dp, reshard: false) else if use == "zero3" then zero3(dp) else if use ==
      "zero2" then zero2(dp) else if use == "zero1" then zero1(dp) else if use == "hand" then by_hand(dp, is) else deepspeed_zero3(dp),
    if tied then tied_embeddings() else none,
    if average then average_parameters(is) else none,
  ]
  schedule = accumulate(m)
  recompute = if again then full() else none
  batch = { micro: 1 }
  precision = mixed(bf16) with { free_gradients = free }
  optimizer = adam()
  costs = roofline(h100_sxm)
}
