// BERT (Devlin et al., arXiv 1810.04805): an encoder with a layer norm after each half, trained on
// masked words and on whether two sentences follow each other. The word classifier is tied to the
// embedding. `flash`: attention in one kernel that never writes the scores.
import std.ops.nn

block bert_layer(x: Tensor, heads: Int, ffn: Int, flash: Bool) {
  let hidden = last(x.shape)
  qkv = linear(x, out: 3 * hidden, bias: true) as attn.qkv
  if flash {
    a = attention(qkv, heads: heads, kv_heads: heads, head_dim: hidden / heads, causal: false) as attn.core
  } else {
    a = core_attention(qkv, heads: heads, head_dim: hidden / heads, causal: false) as attn.core
  }
  o = linear(a, out: hidden) as attn.proj
  r = bias_dropout_add(o, x) as attn.residual
  n1 = layernorm(r) as ln1
  u = linear(n1, out: ffn) as mlp.up
  g = bias_gelu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  s = bias_dropout_add(d, n1) as mlp.residual
  yield layernorm(s) as ln2
}

model bert(layers: Int, hidden: Int, heads: Int, vocab: Int = 30522, seq: Int = 512, flash: Bool = false) {
  require min(layers, hidden, heads, vocab, seq) >= 1, "counts and widths are 1 or more"
  require seq <= 512, "BERT has 512 learned positions: `seq` is at most that"
  ids = input([batch, seq], int64)
  segments = input([batch, seq], int64)
  e = embedding(ids, vocab, hidden) as embed
  p = position_embedding(e, 512) as position
  s = segment_embedding(p, segments, 2) as segment
  n = layernorm(s) as embed_norm
  x = dropout(n) as embed_dropout
  repeat layers as layer {
    x = bert_layer(x, heads, 4 * hidden, flash)
  }
  w = linear(x, out: hidden) as words
  g = bias_gelu(w) as words_act
  m = layernorm(g) as final_norm
  logits = linear(m, out: vocab, bias: true, tied: true) as head
  loss = cross_entropy(logits) as loss
  c = first_token(x) as first
  q = linear(c, out: hidden, bias: true) as pooler
  a = tanh(q) as pooler_act
  follows = linear(a, out: 2, bias: true) as follows
  follows_loss = cross_entropy(follows) as follows_loss
}

fn bert_base(seq: Int = 512, flash: Bool = false) -> Model = bert(12, 768, 12, seq: seq, flash: flash)
fn bert_large(seq: Int = 512, flash: Bool = false) -> Model = bert(24, 1024, 16, seq: seq, flash: flash)
