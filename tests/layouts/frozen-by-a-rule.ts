import std.models.gpt, std.clusters.dgx, std.optimizers.adam, std.precision, std.costs.sources
strategy frozen() {
  rule products {
    match linear
    set frozen = true
  }
}
plan p {
  model = gpt(layers: 2, hidden: 64, heads: 2, vocab: 128, seq: 64)
  cluster = dgx_a100(nodes: 1)
  mesh = {}
  apply = [frozen()]
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_a100
}
