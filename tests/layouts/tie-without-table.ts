import std.ops.nn, std.clusters.dgx

model words(hidden: Int, vocab: Int, seq: Int) {
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as words
  logits = linear(x, out: vocab, tied: true) as head
  loss = cross_entropy(logits) as loss
}

plan small {
  model = words(hidden: 64, vocab: 512, seq: 32)
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
