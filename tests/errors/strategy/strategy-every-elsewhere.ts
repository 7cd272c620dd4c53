import std.models.gpt, std.clusters.dgx, std.schedules.local_sgd

strategy average(d: Axis) {
  rule average {
    match *
    after gradients: all_reduce(gradients, over: d, every: 4)
  }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [average(dp)]
  schedule = local_sgd(m: 2, steps: 4)
  costs = [roofline(a100_sxm_80g)]
}
