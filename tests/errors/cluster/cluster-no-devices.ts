import std.models.gpt, std.clusters.dgx

cluster mine(n: Int = 2) {
  switch leaf[n]
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = mine()
  costs = [roofline(a100_sxm_80g)]
}
