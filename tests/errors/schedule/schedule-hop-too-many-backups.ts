import std.models.gpt, std.clusters.dgx, std.schedules.hop
protocol fewer {
  depend updates: S(k) at w on any len(graph(w, n)) - 4 of S(k - 1) at v for v in graph(w, n) sending size
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = hop(pp, iterations: 3, size: 1 MiB)
  protocols = fewer
  costs = [roofline(a100_sxm_80g)]
}
