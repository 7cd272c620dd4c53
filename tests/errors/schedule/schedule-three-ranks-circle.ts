import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis) {
  stages p
  at r in 0..p { F(0) F(1) B(0) B(1) }
  depend credit: F(i) at 0 on B(i - 1) at 2
}

plan small {
  model = gpt(layers: 9, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 3 }
  schedule = mine(p: pp)
  costs = [roofline(a100_sxm_80g)]
}
