// GPT-2 and CLIP of Hugging Face's transformers (4.46: modeling_gpt2.py, modeling_clip.py), and the
// Vision Transformer of timm (1.0: vision_transformer.py), as PyTorch runs them without a compiler
// (std.ops.torch). `amp`: products under autocast. `again`: blocks are computed again; autocast keeps
// its copies of their weights until the forward ends all the same.
import std.ops.torch, std.ops.nn, std.models.clip

block gpt2_layer(x: Tensor, heads: Int, amp: Any) {
  let hidden = last(x.shape)
  n = torch_layernorm(x, amp: amp) as ln1
  qkv = torch_linear(n, out: 3 * hidden, bias: true, amp: amp) as qkv
  a = torch_packed_attention(qkv, heads: heads, head_dim: hidden / heads, causal: true) as attention
  o = torch_linear(a, out: hidden, bias: true, amp: amp) as proj
  od = torch_dropout(o) as dropout
  r = torch_add(x, od) as attention_residual
  n2 = torch_layernorm(r, amp: amp) as ln2
  u = torch_linear(n2, out: 4 * hidden, bias: true, amp: amp) as up
  g = torch_new_gelu(u, amp: amp) as gelu
  d = torch_linear(g, out: hidden, bias: true, amp: amp) as down
  dd = torch_dropout(d) as down_dropout
  yield torch_add(r, dd) as residual
}

// The loss is of logits as they are; under autocast the last of its two parts alone is in fp32.
model hf_gpt2(
  layers: Int,
  hidden: Int,
  heads: Int,
  seq: Int,
  vocab: Int = 50257,
  positions: Int = 1024,
  amp: Any = none,
  again: Bool = false,
) {
  require min(layers, hidden, heads, seq, vocab, positions) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  e = torch_embedding(ids, vocab, hidden) as embed
  p = torch_positions(e, positions) as position
  x = torch_dropout(p) as embed_dropout
  repeat layers as layer {
    x = gpt2_layer(x, heads, amp)
  }
  n = torch_layernorm(x, amp: amp) as norm
  logits = torch_linear(n, out: vocab, tied: true, amp: amp) as head
  s = torch_shifted(logits) as shifted
  let copies = if amp == none or not again then 0 B else layers * 12 * hidden * hidden * bytes(amp)
  // Keys and values for later words are views of what a block's first product gives.
  let cache = if again then layers * 3 * bytes(n.dtype) * numel(n) / (if amp == none then 1 else 2) else 0 B
  let held = copies + cache + (if batch > 1 then bytes(logits) else 0 B)
  if amp != none {
    lp = torch_log_softmax(s, held: held) as log_softmax
    f = torch_float(lp) as float
    loss = torch_nll_loss(f, held: held + bytes(s)) as loss
  } else {
    lq = torch_log_softmax(s, held: held) as log_softmax
    loss = torch_nll_loss(lq, held: held + bytes(s)) as loss
  }
}
fn hf_gpt2_large(seq: Int, amp: Any = none, again: Bool = false) -> Model = hf_gpt2(36, 1280, 20, seq, amp: amp, again: again)

// `gelu`: of one kernel; else QuickGELU. `packed`: queries, keys and values are one product.
block torch_tower_layer(x: Tensor, heads: Int, ffn: Int, causal: Bool, packed: Bool, gelu: Bool, amp: Any) {
  let hidden = last(x.shape)
  n = torch_layernorm(x, amp: amp) as ln1
  if packed {
    qkv = torch_linear(n, out: 3 * hidden, bias: true, amp: amp) as qkv
    a = torch_packed_attention(qkv, heads: heads, head_dim: hidden / heads, causal: causal) as attention
  } else {
    q = torch_linear(n, out: hidden, bias: true, amp: amp) as q
    k = torch_linear(n, out: hidden, bias: true, amp: amp) as k
    v = torch_linear(n, out: hidden, bias: true, amp: amp) as v
    a = torch_attention(q, k, v, heads: heads, kv_heads: heads, head_dim: hidden / heads, causal: causal, amp: amp) as attention
  }
  o = torch_linear(a, out: hidden, bias: true, amp: amp) as proj
  r = torch_add(x, o) as attention_residual
  n2 = torch_layernorm(r, amp: amp) as ln2
  u = torch_linear(n2, out: ffn, bias: true, amp: amp) as up
  if gelu {
    g = torch_gelu(u) as gelu
  } else {
    g = torch_quick_gelu(u) as gelu
  }
  d = torch_linear(g, out: hidden, bias: true, amp: amp) as down
  yield torch_add(r, d) as residual
}

model timm_vit(layers: Int, hidden: Int, heads: Int, patch: Int, image: Int, classes: Int = 1000, amp: Any = none) {
  require min(layers, hidden, heads, patch, classes) >= 1, "counts and widths are 1 or more"
  let words = div(image, patch) * div(image, patch)
  pixels = images(batch, [3, image, image]) as images
  p = torch_patches(pixels, words, patch, hidden, false, true, amp: amp) as patches
  x = torch_layernorm(p, amp: amp) as before
  repeat layers as layer {
    x = torch_tower_layer(x, heads, 4 * hidden, false, true, true, amp)
  }
  n = torch_layernorm(x, amp: amp) as norm
  c = first_token(n) as first
  logits = torch_linear(c, out: classes, bias: true, amp: amp) as head
  loss = cross_entropy(logits) as loss
}
fn timm_vit_h14(image: Int, amp: Any = none) -> Model = timm_vit(32, 1280, 16, 14, image, amp: amp)

model hf_clip(
  layers: Int,
  hidden: Int,
  heads: Int,
  patch: Int,
  image: Int,
  text_layers: Int,
  text_hidden: Int,
  text_heads: Int,
  seq: Int,
  space: Int,
  vocab: Int = 49408,
  amp: Any = none,
) {
  require min(layers, hidden, heads, patch, text_layers, text_hidden, text_heads, seq, space, vocab) >= 1, "counts and widths are 1 or more"
  let words = div(image, patch) * div(image, patch)
  pixels = images(batch, [3, image, image]) as images
  p = torch_patches(pixels, words, patch, hidden, false, true, amp: amp) as patches
  v = torch_layernorm(p, amp: amp) as before
  repeat layers as image {
    v = torch_tower_layer(v, heads, 4 * hidden, false, false, false, amp)
  }
  vc = first_token(v) as image_first
  vn = torch_layernorm(vc, amp: amp) as image_norm
  ve = torch_linear(vn, out: space, amp: amp) as image_space
  ids = input([batch, seq], int64)
  e = torch_embedding(ids, vocab, text_hidden) as embed
  t = torch_positions(e, 77) as text_position
  repeat text_layers as text {
    t = torch_tower_layer(t, text_heads, 4 * text_hidden, true, false, false, amp)
  }
  tn = torch_layernorm(t, amp: amp) as text_norm
  tc = first_token(tn) as text_end
  te = torch_linear(tc, out: space, amp: amp) as text_space
  loss = contrastive_loss(ve, te) as loss
}
fn hf_clip_l14(image: Int, seq: Int = 77, amp: Any = none) -> Model = hf_clip(24, 1024, 16, 14, image, 12, 768, 12, seq, 768, amp: amp)
