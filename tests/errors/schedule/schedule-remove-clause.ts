import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis) {
  stages p
  at r in 0..p { F(0) B(0) }
  depend late: B(i) at s on F(i) at s - 1
}
protocol other { remove early }

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = mine(p: pp)
  protocols = other
  costs = [roofline(a100_sxm_80g)]
}
