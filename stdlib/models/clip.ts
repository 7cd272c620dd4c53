// CLIP (Radford et al., arXiv 2103.00020): an image tower and a text tower, each projected into one
// space, and a loss over all pairs of a batch.
import std.ops.nn, std.models.vit

// Similarities of all images with all texts of the micro-batch, scaled by a learned temperature,
// and cross entropy both ways.
op contrastive_loss(image: Tensor, text: Tensor) {
  weight scale: [1]
  output y: [image.shape[0]]
  let n = image.shape[0]
  let d = last(image.shape)
  let logits = 4 B * n * n
  whole image dim 0
  whole text dim 0
  forward {
    kernel gemm { m = n, n = n, k = d, flops = 2 * n * n * d, reads = [image, text], writes = [logits] }
    kernel elementwise { reads = [2 * logits], writes = [logits] }
  }
  backward(input) {
    kernel elementwise { reads = [2 * logits], writes = [logits] }
    kernel gemm { m = n, n = d, k = n, flops = 2 * n * n * d, reads = [logits, text], writes = [dimage] }
    kernel gemm { m = n, n = d, k = n, flops = 2 * n * n * d, reads = [logits, image], writes = [dtext] }
  }
  backward(weight) { kernel elementwise { reads = [logits], writes = [dscale] } }
  saves [image, text, logits]
}

// `pad`: images and texts of 197 and 77 words are filled up to a multiple of it, so that they can
// be split.
model clip(
  layers: Int,
  hidden: Int,
  heads: Int,
  patch: Int,
  text_hidden: Int,
  text_heads: Int,
  space: Int,
  image: Int = 224,
  text_layers: Int = 12,
  seq: Int = 77,
  vocab: Int = 49408,
  pad: Int = 1,
) {
  require min(layers, hidden, heads, text_hidden, text_heads, space, text_layers) >= 1, "counts and widths are 1 or more"
  require min(seq, vocab, pad) >= 1, "counts and widths are 1 or more"
  p = patches(batch, image, patch, hidden, false, pad)
  v = layernorm(p) as image_norm
  repeat layers as image {
    v = tower_layer(v, heads, 4 * hidden)
  }
  vc = first_token(v) as image_first
  vn = layernorm(vc) as image_final_norm
  ve = linear(vn, out: space) as image_space
  ids = input([batch, ceil_div(seq, pad) * pad], int64)
  e = embedding(ids, vocab, text_hidden) as embed
  t = position_embedding(e, seq) as text_position
  repeat text_layers as text {
    t = tower_layer(t, text_heads, 4 * text_hidden, true)
  }
  tn = layernorm(t) as text_final_norm
  tc = first_token(tn) as text_end
  te = linear(tc, out: space) as text_space
  loss = contrastive_loss(ve, te) as loss
}

fn clip_vit_b32(image: Int = 224, pad: Int = 1) -> Model = clip(12, 768, 12, 32, 512, 8, 512, image, pad: pad)
fn clip_vit_b16(image: Int = 224, pad: Int = 1) -> Model = clip(12, 768, 12, 16, 512, 8, 512, image, pad: pad)
fn clip_vit_l14(image: Int = 224, pad: Int = 1) -> Model = clip(24, 1024, 16, 14, 768, 12, 768, image, pad: pad)
