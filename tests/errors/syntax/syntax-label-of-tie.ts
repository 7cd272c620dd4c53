import std.models.gpt, std.clusters.dgx

strategy mine(d: Axis) {
  rule own {
    match *
    tie w with head.tokens
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [mine(dp)]
  costs = [roofline(a100_sxm_80g)]
}
