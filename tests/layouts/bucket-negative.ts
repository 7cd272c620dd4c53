import std.models.gpt, std.clusters.dgx, std.strategies.data, std.optimizers.adam

plan wrong_rates {
  model = gpt(layers: 12, hidden: 768, heads: 12, vocab: 50304, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [
    data_parallel(dp, bucket: 0 MiB - 25 MiB),
  ]
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}
