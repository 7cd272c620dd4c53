import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis, m: Int) {
  stages p
  expect m % 2 == 0, "micro-batches go in pairs: let m be even"
  at r in 0..p { for i in 0..m { F(i) B(i) } }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = mine(p: pp, m: 7)
  costs = [roofline(a100_sxm_80g)]
}
