// Llama 2 and 3: RMS norm, rotary positions, grouped-query attention, SwiGLU, no biases (Touvron et
// al., arXiv 2307.09288; Grattafiori et al., arXiv 2407.21783). Other families differ in a few
// choices, which are parameters: heads of another width, normed queries and keys, a tied head.
import std.ops.nn

// The half with attention; `window`: of so many keys; `scaled`: positions as YaRN scales them.
block llama_attention(
  x: Tensor,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  norm: Bool = false,
  window: Int = 0,
  scaled: Bool = false,
) {
  require min(heads, kv_heads, head_dim) >= 1, "counts and widths are 1 or more"
  let hidden = last(x.shape)
  n = rmsnorm(x) as ln1
  qkv = linear(n, out: (heads + 2 * kv_heads) * head_dim) as attn.qkv
  if norm {
    qkv = qk_norm(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.qk_norm
  }
  q = rotary(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim, scaled: scaled) as attn.rotary
  a = attention(q, heads: heads, kv_heads: kv_heads, head_dim: head_dim, window: window) as attn.core
  o = linear(a, out: hidden) as attn.proj
  yield add(x, o) as attn.residual
}

// `apart`: gate and value are a product each, as torchtitan has them, so that a strategy may keep one
// and recompute the other; for plans without tensor parallelism.
block llama_mlp(x: Tensor, ffn: Int, apart: Bool = false) {
  require min(ffn) >= 1, "counts and widths are 1 or more"
  n = rmsnorm(x) as ln2
  if apart {
    gate = linear(n, out: ffn) as mlp.gate
    value = linear(n, out: ffn) as mlp.up
    g = gated_silu(gate, value) as mlp.act
  } else {
    u = linear(n, out: 2 * ffn) as mlp.up
    g = swiglu(u) as mlp.act
  }
  d = linear(g, out: last(x.shape)) as mlp.down
  yield add(x, d) as mlp.residual
}

block llama_layer(
  x: Tensor,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  ffn: Int,
  norm: Bool = false,
  apart: Bool = false,
) {
  r = llama_attention(x, heads, kv_heads, head_dim, norm)
  yield llama_mlp(r, ffn, apart)
}

model llama(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  ffn: Int,
  vocab: Int,
  seq: Int,
  head_dim: Int = hidden / heads,
  qk_norm: Bool = false,
  tied: Bool = false,
  apart: Bool = false,
) {
  require min(layers, hidden, heads, kv_heads, head_dim, ffn, vocab, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = llama_layer(x, heads, kv_heads, head_dim, ffn, qk_norm, apart)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab, tied: tied) as head
  loss = cross_entropy(logits) as loss
}

fn llama2_7b(seq: Int = 4096) -> Model = llama(layers: 32, hidden: 4096, heads: 32, kv_heads: 32, ffn: 11008, vocab: 32000, seq: seq)
fn llama2_13b(seq: Int = 4096) -> Model = llama(layers: 40, hidden: 5120, heads: 40, kv_heads: 40, ffn: 13824, vocab: 32000, seq: seq)
fn llama2_70b(seq: Int = 4096) -> Model = llama(layers: 80, hidden: 8192, heads: 64, kv_heads: 8, ffn: 28672, vocab: 32000, seq: seq)

// Llama 3 and 3.1 are of one architecture.
fn llama3_8b(seq: Int = 8192, apart: Bool = false) -> Model = llama(
  layers: 32,
  hidden: 4096,
  heads: 32,
  kv_heads: 8,
  ffn: 14336,
  vocab: 128256,
  seq: seq,
  apart: apart,
)
fn llama3_70b(seq: Int = 8192, apart: Bool = false) -> Model = llama(
  layers: 80,
  hidden: 8192,
  heads: 64,
  kv_heads: 8,
  ffn: 28672,
  vocab: 128256,
  seq: seq,
  apart: apart,
)
fn llama3_405b(seq: Int = 8192, apart: Bool = false) -> Model = llama(
  layers: 126,
  hidden: 16384,
  heads: 128,
  kv_heads: 8,
  ffn: 53248,
  vocab: 128256,
  seq: seq,
  apart: apart,
)
