// Towers of pictures, before a decoder or by themselves.
import std.ops.nn, std.models.clip (contrastive_loss)
export import std.models.layers

// A tower of pictures before the decoder: patches of so many elements through one matrix, layers, and
// steps that make words of what comes out. `patches`: of a picture; `deep`: layers whose outputs become
// words as well (`deep_steps`), added to those of the decoder: here before its layers, in Qwen3-VL to what
// the first of them give.
// A step is a "norm" as in the layers, "rmsnorm", "linear", "gelu", "merge" (`count` patches side by side)
// or "pool" (their mean).
record Step {
  kind: String
  out: Int = 1
  bias: Bool = false
  count: Int = 1
}
record Tower {
  layers: List[Layer]
  hidden: Int
  norm: String = "layer"
  patch: Int
  patches: Int
  patch_bias: Bool = true
  positions: Int = 0
  class_token: Bool = false
  registers: Int = 0 // learned words more, without positions
  pre_norm: Bool = false
  post_norm: Bool = false
  steps: List[Step]
  mask: Bool = false // a learned patch in the place of hidden ones (DINOv2)
  deep: List[Int] = []
  deep_steps: List[Step] = []
}

block _step(x: Tensor, s: Step, norm: String) {
  if s.kind == "norm" {
    y = norm_of(x, norm)
  } else {
    if s.kind == "rmsnorm" {
      y = rmsnorm(x) as norm
    } else {
      if s.kind == "linear" {
        y = linear(x, out: s.out, bias: s.bias) as product
      } else {
        if s.kind == "gelu" {
          y = gelu(x) as act
        } else {
          y = merged(x, s.count, mean: s.kind == "pool") as merge
        }
      }
    }
  }
  yield y
}

block tower_steps(x: Tensor, steps: List[Step], norm: String) {
  repeat len(steps) as step {
    x = _step(x, steps[step], norm)
  }
  yield x
}

block tower_patches(t: Tower, samples: Int) {
  pixels = images(samples, [t.patches, t.patch]) as images
  v = linear(pixels, out: t.hidden, bias: t.patch_bias) as patch_embed
  if t.mask {
    v = mask_token(v) as mask_token
  }
  if t.class_token {
    v = class_token(v) as class_token
  }
  if t.positions > 0 {
    v = position_embedding(v, t.positions) as position
  }
  if t.registers > 0 {
    v = class_token(v, count: t.registers) as registers
  }
  if t.pre_norm {
    v = norm_of(v, t.norm) as pre_norm
  }
  yield v
}

// What the layers gave, as words.
block tower_words(v: Tensor, t: Tower) {
  if t.post_norm {
    v = norm_of(v, t.norm) as post_norm
  }
  if t.class_token {
    v = without_first(v) as patches
  }
  yield tower_steps(v, t.steps, t.norm) as project
}

block _seen(t: Tower, samples: Int, drop: Bool) {
  v = tower_patches(t, samples) as pictures
  repeat len(t.layers) as picture {
    v = decoder_layer(v, v, t.layers[picture], t.norm, drop: drop)
  }
  yield v
}

// Pictures in classes: by the class token, or (`joined`) by it and the mean of the rest side by side.
model classified(t: Tower, classes: Int, joined: Bool = false, drop: Bool = false) {
  require len(t.layers) >= 1 and min(t.hidden, classes) >= 1 and t.class_token,
    "counts and widths are 1 or more, and there is a class token"
  v = _seen(t, batch, drop)
  n = norm_of(v, t.norm) as final_norm
  c = first_token(n) as first
  if joined {
    w = without_first(n) as patches
    m = merged(w, count: t.patches + t.registers, mean: true) as mean
    f = first_token(m) as mean_first
    c = join(c, f) as joined
  }
  logits = linear(c, out: classes, bias: true) as head
  loss = cross_entropy(logits) as loss
}

// CLIP: pictures and texts of a batch, each projected into one space (std.models.clip).
model contrasted(t: Tower, text: List[Layer], hidden: Int, vocab: Int, seq: Int, positions: Int, space: Int) {
  require len(t.layers) >= 1 and len(text) >= 1 and min(hidden, vocab, seq, positions, space) >= 1, "counts and widths are 1 or more"
  require t.class_token and seq <= positions, "there is a class token, and a position for each word"
  v = _seen(t, batch, false)
  vc = first_token(v) as image_first
  vn = norm_of(vc, t.norm) as image_final_norm
  ve = linear(vn, out: space) as image_space
  ids = input([batch, seq], int64)
  e = embedding(ids, vocab, hidden) as embed
  x = position_embedding(e, positions) as text_position
  repeat len(text) as layer {
    x = decoder_layer(x, x, text[layer], t.norm)
  }
  tn = norm_of(x, t.norm) as text_final_norm
  tc = first_token(tn) as text_end
  te = linear(tc, out: space) as text_space
  loss = contrastive_loss(ve, te) as loss
}
