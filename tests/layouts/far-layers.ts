// A layer takes what the third one before it kept, and one layer keeps that split.
import std.ops.nn, std.clusters.dgx, std.costs.sources

strategy one_layer(t: Axis) {
  rule columns {
    match linear as "*.kept" where unit == 3
    split w dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
}

model deep() {
  ids = input([1, 64], int64)
  x = embedding(ids, 128, 64) as embed
  let first = x
  let second = x
  let third = x
  repeat 12 as layer {
    y = linear(x, out: 64) as up
    x = add(y, third) as sum
    third = second
    second = first
    first = linear(y, out: 64) as kept
  }
  loss = cross_entropy(x) as loss
}

plan p {
  model = deep()
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 8 }
  apply = one_layer(tp)
  costs = training_a100
}
