import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis) {
  stages p
  chunks 2
  at r in 0..p { F(0) B(0) }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = mine(p: pp)
  costs = [roofline(a100_sxm_80g)]
}
