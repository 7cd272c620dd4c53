import std.models.gpt, std.clusters.dgx

cluster mine(n: Int = 2) {
  device gpu[n]: a100_sxm_80g
  switch leaf[1]
  for i in 0..n + 1 { link gpu[i] <-> leaf[0] { bandwidth = 50 GB/s, latency = 2 us } }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = mine()
  costs = [roofline(a100_sxm_80g)]
}
