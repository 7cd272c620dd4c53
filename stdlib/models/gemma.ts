// Gemma 2 and 3 (arXiv 2408.00118, 2503.19786), text: norms before and after each half, GeGLU, a
// tied head of many words, and attention over a window in all but every `period`-th layer. Gemma 2
// bounds its logits (soft cap); Gemma 3 norms queries and keys instead.
import std.ops.nn

block gemma_layer(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, window: Int, norm: Bool) {
  let hidden = last(x.shape)
  n1 = rmsnorm(x) as ln1
  qkv = linear(n1, out: (heads + 2 * kv_heads) * head_dim) as attn.qkv
  if norm {
    qkv = qk_norm(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.qk_norm
  }
  q = rotary(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.rotary
  a = attention(q, heads: heads, kv_heads: kv_heads, head_dim: head_dim, window: window) as attn.core
  o = linear(a, out: hidden) as attn.proj
  no = rmsnorm(o) as attn.norm
  r = add(x, no) as attn.residual
  n2 = rmsnorm(r) as ln2
  u = linear(n2, out: 2 * ffn) as mlp.up
  g = geglu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  nd = rmsnorm(d) as mlp.norm
  yield add(r, nd) as mlp.residual
}

model gemma(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  ffn: Int,
  vocab: Int,
  seq: Int,
  window: Int,
  period: Int,
  qk_norm: Bool,
  soft_cap: Bool,
) {
  require min(layers, hidden, heads, kv_heads, head_dim, ffn, vocab, seq) >= 1, "counts and widths are 1 or more"
  require window >= 0 and period >= 1, "`window` counts words, 0 for all; `period` counts layers, 1 or more"
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = gemma_layer(x, heads, kv_heads, head_dim, ffn, if layer % period == period - 1 then 0 else window, qk_norm)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab, tied: true) as head
  if soft_cap {
    logits = tanh(logits) as soft_cap
  }
  loss = cross_entropy(logits) as loss
}

fn gemma2(layers: Int, hidden: Int, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, seq: Int) -> Model = gemma(
  layers,
  hidden,
  heads,
  kv_heads,
  head_dim,
  ffn,
  256000,
  seq,
  window: 4096,
  period: 2,
  qk_norm: false,
  soft_cap: true,
)
fn gemma2_2b(seq: Int = 8192) -> Model = gemma2(26, 2304, 8, 4, 256, 9216, seq)
fn gemma2_9b(seq: Int = 8192) -> Model = gemma2(42, 3584, 16, 8, 256, 14336, seq)
fn gemma2_27b(seq: Int = 8192) -> Model = gemma2(46, 4608, 32, 16, 128, 36864, seq)

fn gemma3(layers: Int, hidden: Int, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, seq: Int, window: Int = 1024) -> Model = gemma(
  layers,
  hidden,
  heads,
  kv_heads,
  head_dim,
  ffn,
  262144,
  seq,
  window: window,
  period: 6,
  qk_norm: true,
  soft_cap: false,
)
fn gemma3_1b(seq: Int = 8192) -> Model = gemma3(26, 1152, 4, 1, 256, 6912, seq, window: 512)
fn gemma3_4b(seq: Int = 8192) -> Model = gemma3(34, 2560, 8, 4, 256, 10240, seq)
fn gemma3_12b(seq: Int = 8192) -> Model = gemma3(48, 3840, 16, 8, 256, 15360, seq)
fn gemma3_27b(seq: Int = 8192) -> Model = gemma3(62, 5376, 32, 16, 128, 21504, seq)
