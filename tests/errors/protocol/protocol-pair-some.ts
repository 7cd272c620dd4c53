import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis) {
  stages p
  at 0 { F(0) F(1) F(2) B(0) B(1) B(2) }
  at 1 { F(0) F(1) pair B(0) with F(2) B(1) B(2) }
  at 2 { F(0) B(0) F(1) B(1) F(2) B(2) }
  depend some: F(i) at 1 on any 1 of F(i - 1) at r for r in [0, 2]
}

plan small {
  model = gpt(layers: 9, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 3 }
  schedule = mine(p: pp)
  costs = [roofline(a100_sxm_80g)]
}
