import std.models.gpt, std.clusters.dgx

schedule mine(p: Axis, m: Int) {
  stages p
  policy m {
    prefer B, F
  }
  policy m - 1 {
    prefer F, B
  }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  batch = { micro: 1, global: 8 }
  schedule = mine(p: pp, m: 8)
  costs = [roofline(a100_sxm_80g)]
}
