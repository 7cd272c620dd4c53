import std.models.gpt, std.clusters.dgx, std.strategies.data

strategy mine(d: Axis) {
  rule all {
    match * where within(label, 3)
    after gradients: all_reduce(gradients, over: d)
  }
}
strategy other(d: Axis) {
  rule all {
    match * where within(unit, "layer[*]")
    after gradients: all_reduce(gradients, over: d)
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 2 }
  apply = [mine(dp), other(dp)]
  costs = [roofline(a100_sxm_80g)]
}
