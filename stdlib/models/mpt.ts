// MPT (MosaicML, 2023): GPT without biases and dropout, learned positions, layer norm, GELU, a tied
// head.
import std.ops.nn

block mpt_layer(x: Tensor, heads: Int, ffn: Int) {
  require min(heads, ffn) >= 1, "counts and widths are 1 or more"
  let hidden = last(x.shape)
  n1 = layernorm(x) as ln1
  qkv = linear(n1, out: 3 * hidden) as attn.qkv
  a = attention(qkv, heads: heads, kv_heads: heads, head_dim: hidden / heads) as attn.core
  o = linear(a, out: hidden) as attn.proj
  r = add(x, o) as attn.residual
  n2 = layernorm(r) as ln2
  u = linear(n2, out: ffn) as mlp.up
  g = gelu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  yield add(r, d) as mlp.residual
}

model mpt(layers: Int, hidden: Int, heads: Int, seq: Int, vocab: Int = 50368, ffn: Int = 4 * hidden) {
  require min(layers, hidden, heads, vocab, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  e = embedding(ids, vocab, hidden) as embed
  x = position_embedding(e, seq) as position
  repeat layers as layer {
    x = mpt_layer(x, heads, ffn)
  }
  n = layernorm(x) as final_norm
  logits = linear(n, out: vocab, tied: true) as head
  loss = cross_entropy(logits) as loss
}

fn mpt_7b(seq: Int = 2048) -> Model = mpt(32, 4096, 32, seq)
fn mpt_30b(seq: Int = 8192) -> Model = mpt(48, 7168, 56, seq)
