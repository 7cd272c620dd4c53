import std.ops.nn

model gpt(layers: Int, hidden: Int, heads: Int, vocab: Int, seq: Int) {
  x = input([micro, seq], int64)
  h = embedding(x, vocab: vocab, hidden: hidden) as embed
}
