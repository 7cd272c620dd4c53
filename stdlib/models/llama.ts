// Llama 2 and 3: RMS norm, rotary positions, grouped-query attention, SwiGLU, no biases (Touvron et al., arXiv 2307.09288; arXiv 2407.21783).
import std.ops.nn

block llama_layer(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int) {
  let hidden = last(x.shape)
  n1 = rmsnorm(x) as ln1
  qkv = linear(n1, out: (heads + 2 * kv_heads) * head_dim) as attn.qkv
  q = rotary(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.rotary
  a = attention(q, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.core
  o = linear(a, out: hidden) as attn.proj
  r = add(x, o) as attn.residual
  n2 = rmsnorm(r) as ln2
  u = linear(n2, out: 2 * ffn) as mlp.up
  g = swiglu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  yield add(r, d) as mlp.residual
}

model llama(layers: Int, hidden: Int, heads: Int, kv_heads: Int, ffn: Int, vocab: Int, seq: Int) {
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = llama_layer(x, heads, kv_heads, hidden / heads, ffn)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
}
