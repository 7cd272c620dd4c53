// Llama as an eager framework runs it: unfused norms, rotary positions and SwiGLU (std.ops.eager).
// The labels are those of std.models.llama, so the same strategies apply; `apart` as there. `whole`:
// the loss is PyTorch's own, not one that bears a split vocabulary.
import std.ops.nn, std.ops.eager

block eager_llama_layer(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, apart: Bool = false) {
  let hidden = last(x.shape)
  n1 = eager_rmsnorm(x) as ln1
  qkv = linear(n1, out: (heads + 2 * kv_heads) * head_dim) as attn.qkv
  q = eager_rotary(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.rotary
  a = eager_attention(q, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.core
  o = linear(a, out: hidden) as attn.proj
  r = add(x, o) as attn.residual
  n2 = eager_rmsnorm(r) as ln2
  if apart {
    gate = linear(n2, out: ffn) as mlp.gate
    value = linear(n2, out: ffn) as mlp.up
    g = eager_gated_silu(gate, value) as mlp.act
  } else {
    u = linear(n2, out: 2 * ffn) as mlp.up
    g = eager_swiglu(u) as mlp.act
  }
  d = linear(g, out: hidden) as mlp.down
  yield add(r, d) as mlp.residual
}

model eager_llama(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  ffn: Int,
  vocab: Int,
  seq: Int,
  tied: Bool = false,
  apart: Bool = false,
  whole: Bool = false,
) {
  require min(layers, hidden, heads, kv_heads, ffn, vocab, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = eager_embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = eager_llama_layer(x, heads, kv_heads, hidden / heads, ffn, apart)
  }
  n = eager_rmsnorm(x) as final_norm
  logits = linear(n, out: vocab, tied: tied) as head
  if whole {
    loss = cross_entropy(logits) as loss
  } else {
    loss = eager_cross_entropy(logits) as loss
  }
}
