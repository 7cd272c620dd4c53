import std.ops.nn, std.clusters.dgx, std.schedules.one_f_one_b

// The head's weight is that of the embedding, and so is that of a second head two stages before.
model two_heads(layers: Int, hidden: Int, vocab: Int, seq: Int) {
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = linear(x, out: hidden) as up
    if layer == 1 {
      early = linear(x, out: vocab, tied: true) as early
      early_loss = cross_entropy(early) as early_loss
    }
  }
  logits = linear(x, out: vocab, tied: true) as head
  loss = cross_entropy(logits) as loss
}

plan small {
  model = two_heads(layers: 3, hidden: 64, vocab: 512, seq: 32)
  cluster = dgx_h100(nodes: 1)
  mesh = { pp: 3 }
  schedule = one_f_one_b(p: pp, m: 4)
  costs = [roofline(h100_sxm)]
}
