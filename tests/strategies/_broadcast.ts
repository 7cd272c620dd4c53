// Parameters are sent from one rank before each forward, as they are where others may have changed them.
import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.costs.sources, std.schedules.single
strategy sent(d: Axis, again: Bool) {
  rule each {
    match *
    before forward: broadcast(parameters, over: d)
    before backward(input): broadcast(parameters, over: if again then d else 1)
  }
}
plan sending(m: Int = 1, again: Bool = false) {
  model = gpt(layers: 2, hidden: 1024, heads: 16, vocab: 50304, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [sent(dp, again)]
  schedule = accumulate(m)
  batch = { micro: 1 }
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
}
