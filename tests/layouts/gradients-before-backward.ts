import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.costs.sources
strategy early(d: Axis) {
  rule each {
    match *
    before backward(input): all_reduce(gradients, over: d)
  }
}
plan p {
  model = gpt(layers: 2, hidden: 64, heads: 2, vocab: 128, seq: 64)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [early(dp)]
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
}
