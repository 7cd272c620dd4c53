import std.models.gpt, std.clusters.dgx

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 32k, seq: 8K)
  batch = { micro: 1, global: 4Ki }
  cluster = dgx_a100(nodes: 1)
}
