import std.models.gpt, std.clusters.dgx

// F(1) and B(0) begin together, but B(0) of the next stage comes only after it has F(1).
schedule mine(p: Axis) {
  stages p
  at r in 0..p {
    F(0)
    pair F(1) with B(0)
    B(1)
  }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = mine(p: pp)
  costs = [roofline(a100_sxm_80g)]
}
