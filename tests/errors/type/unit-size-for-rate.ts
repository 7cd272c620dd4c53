import std.models.gpt, std.clusters.dgx

cluster two() {
  device gpu[2]: a100_sxm_80g
  link gpu[0] <-> gpu[1] { bandwidth = 400 GB, latency = 2 us }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = two()
  costs = [roofline(a100_sxm_80g)]
}
