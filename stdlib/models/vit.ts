// The Vision Transformer (Dosovitskiy et al., arXiv 2010.11929): patches as words, layer norm
// before each half, GELU, a class token that is classified.
import std.ops.nn

// One layer of an image or text tower; its attention sees everything, or only what came before.
block tower_layer(x: Tensor, heads: Int, ffn: Int, causal: Bool = false) {
  require min(heads, ffn) >= 1, "counts and widths are 1 or more"
  let hidden = last(x.shape)
  n1 = layernorm(x) as ln1
  qkv = linear(n1, out: 3 * hidden, bias: true) as attn.qkv
  a = attention(qkv, heads: heads, kv_heads: heads, head_dim: hidden / heads, causal: causal) as attn.core
  o = linear(a, out: hidden) as attn.proj
  r = bias_dropout_add(o, x) as attn.residual
  n2 = layernorm(r) as ln2
  u = linear(n2, out: ffn) as mlp.up
  g = bias_gelu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  yield bias_dropout_add(d, r) as mlp.residual
}

// Squares of an image through one matrix each (a convolution whose stride is its kernel), the class
// token before them, and positions. `pad`: empty words behind them up to a multiple of it, so that
// the 197 or 257 can be split.
block patches(samples: Int, image: Int, patch: Int, hidden: Int, bias: Bool, pad: Int) {
  require patch >= 1 and image >= patch, "an image holds one patch or more"
  let n = div(image, patch) * div(image, patch)
  pixels = images(samples, [n, 3 * patch * patch]) as images
  e = linear(pixels, out: hidden, bias: bias) as patch_embed
  c = class_token(e, pad: pad) as class_token
  yield position_embedding(c, n + 1) as position
}

model vit(layers: Int, hidden: Int, heads: Int, patch: Int, image: Int = 224, classes: Int = 1000, pad: Int = 1) {
  require min(layers, hidden, heads, classes) >= 1, "counts and widths are 1 or more"
  p = patches(batch, image, patch, hidden, true, pad)
  x = dropout(p) as embed_dropout
  repeat layers as layer {
    x = tower_layer(x, heads, 4 * hidden)
  }
  n = layernorm(x) as final_norm
  c = first_token(n) as first
  logits = linear(c, out: classes, bias: true) as head
  loss = cross_entropy(logits) as loss
}

fn vit_b16(image: Int = 224, pad: Int = 1) -> Model = vit(12, 768, 12, 16, image, pad: pad)
fn vit_l16(image: Int = 224, pad: Int = 1) -> Model = vit(24, 1024, 16, 16, image, pad: pad)
fn vit_h14(image: Int = 224, pad: Int = 1) -> Model = vit(32, 1280, 16, 14, image, pad: pad)
