import std.ops.nn, std.clusters.dgx, std.strategies.context, std.strategies.data, std.costs.sources

model only_attention(window: Int) {
  ids = input([batch, 8192], int64)
  x = embedding(ids, vocab: 1000, hidden: 3072) as embed
  repeat 2 as layer {
    x = attention(x, heads: 8, kv_heads: 8, head_dim: 128, window: window) as attn.core
    x = linear(x, out: 3072) as proj
  }
}

plan unbalanced(balanced: Bool = true, window: Int = 0, fitted: Bool = false) {
  model = only_attention(window)
  cluster = dgx_h100(nodes: 1)
  mesh = { cp: 4, dp: 2 }
  apply = [context_parallel(cp, overlap: false, balanced: balanced), data_parallel(dp * cp)]
  costs = if fitted then training_h100 else [roofline(h100_sxm)]
}
