import std.ops.nn

model gpt(layers: Int, hidden: Int, heads: Int, vocab: Int, seq: Int) {
  x = input([batch, seq], int64)
  h = embedding(x, vocab: vocab, hidden: hidden) as embed
}

fn ring(n: Int) -> Int = n
fn _turned(n: Int) -> Int = -n
