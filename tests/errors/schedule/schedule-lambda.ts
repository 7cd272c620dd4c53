import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis, m: Int) {
  stages p
  chunks 2 place fn(c, r, n) -> c * n + r
  at s in 0..p { for i in 0..m { F(i, 0) F(i, 1) B(i, 1) B(i, 0) } }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = mine(p: pp, m: 4)
  costs = [roofline(a100_sxm_80g)]
}
