import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    for i in 0..m { F(i) B(i) F(i) }
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = mine(p: pp, m: 4)
  costs = [roofline(a100_sxm_80g)]
}
