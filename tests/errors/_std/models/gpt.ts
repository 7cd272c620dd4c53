import std.ops.nn

block gpt_layer(x: Tensor, heads: Int, ffn: Int) {
  let hidden = last(x.shape)
  n1 = layernorm(x) as ln1
  qkv = linear(n1, out: 3 * hidden, bias: true) as attn.qkv
  a = core_attention(qkv, heads: heads, head_dim: hidden / heads) as attn.core
  o = linear(a, out: hidden) as attn.proj
  r = bias_dropout_add(o, x) as attn.residual
  n2 = layernorm(r) as ln2
  u = linear(n2, out: ffn) as mlp.up
  g = bias_gelu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  yield bias_dropout_add(d, r) as mlp.residual
}

model gpt(layers: Int, hidden: Int, heads: Int, vocab: Int, seq: Int) {
  ids = input([batch, seq], int64)
  e = embedding(ids, vocab, hidden) as embed
  p = position_embedding(e, seq) as position
  x = dropout(p) as embed_dropout
  repeat layers as layer {
    x = gpt_layer(x, heads, 4 * hidden)
  }
  n = layernorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
}
