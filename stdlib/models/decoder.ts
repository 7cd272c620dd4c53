// Transformers of any layers (std.models.layers), with a tower of pictures or an encoder before them.
// std.import.hf makes such records of configurations of Hugging Face's transformers.
import std.ops.nn, std.ops.tiled, std.ops.compressed, std.models.deepseek (predict_next)
export import std.models.towers, std.models.per_layer

// What gives a decoder words to look at (`cross` of its layers), with norms as there: `seq` words out of the decoder's
// table, or (`sounds`) so many frames of `bands` numbers through two convolutions, of which the second takes each other.
record Encoder {
  layers: List[Layer]
  seq: Int
  positions: Int = 0
  fixed: Bool = false // positions are sines
  embed_norm: Bool = false
  final_norm: Bool = true
  sounds: Bool = false
  bands: Int = 0
}

// `norm`: "rms", "layer", or "bare" (without weights). `positions`: learned ones, of so many words; `segments`: parts
// of the text, of which a word is in one.
record Decoder {
  layers: List[Layer]
  hidden: Int
  vocab: Int
  seq: Int
  norm: String = "rms"
  tied: Bool = false
  head_bias: Bool = false
  head_dense: Bool = false // a product, GELU and a norm before the head, as encoders have them
  positions: Int = 0
  segments: Int = 0
  embed_norm: Bool = false
  final_norm: Bool = true
  soft_cap: Bool = false
  tiled: Bool = false // the head and the loss go over words in tiles
  embed_width: Int = hidden
  dropout: Real = 0
  embed_dropout: Real = 0
  mtp: List[Layer] = []
  load: Any = 1
  hyper: Int = 0 // streams with hyper-connections
  per_layer: List[PerLayer] = [] // embeddings of each layer: none or one
  encoder: List[Encoder] = [] // none or one
  towers: List[Tower] = [] // of pictures: none or one
  pictures: Int = 1 // of a sample, whose words stand among the sample's
  unknown: List[String] = [] // what a file says that nobody knows
}

// Which of the layers with experts the n-th is.
fn _sparse(layers: List[Layer]) -> Int = len([1 for l in layers if l.mlp.kind == "experts" or l.mlp.kind == "plain_experts"])
fn _nth(layers: List[Layer], n: Int) -> Int = _sparse([layers[k] for k in 0..n])

// An encoder's words, out of those that it is given.
block _encoded(x: Tensor, e: Encoder, d: Decoder) {
  if e.positions > 0 {
    x = position_embedding(x, e.positions, fixed: e.fixed) as position
  }
  if d.embed_dropout > 0 {
    x = dropout(x) as embed_dropout
  }
  if e.embed_norm {
    x = norm_of(x, d.norm) as embed_norm
  }
  repeat len(e.layers) as layer {
    x = decoder_layer(x, x, e.layers[layer], d.norm, drop: d.dropout > 0)
  }
  if e.final_norm {
    x = norm_of(x, d.norm) as final_norm
  }
  yield x
}

// Frames of sound as words, half as many.
block _heard(e: Encoder, hidden: Int, samples: Int) {
  frames = images(samples, [2 * e.seq, e.bands]) as frames
  one = conv1d(frames, out: hidden, taps: 3) as conv1
  a = gelu(one) as act1
  two = conv1d(a, out: hidden, taps: 3, stride: 2) as conv2
  yield gelu(two) as act2
}

// Modules that predict further words come last, as in std.models.deepseek.
model decoder(d: Decoder) {
  require len(d.layers) >= 1 and min(d.hidden, d.vocab, d.seq) >= 1, "counts and widths are 1 or more"
  require loads_fit(d.load, _sparse(d.layers) + _sparse(d.mtp)),
    "where layers have loads of their own, there is one for each with experts, those of `mtp` last"
  let all_layers = d.layers + d.mtp + [l for t in d.towers for l in t.layers] + [l for e in d.encoder for l in e.layers]
  require all([layer_mixes(l) for l in all_layers]), "what mixes words is attention, latent, state_space, selective, delta, kda, lightning, compressed, conv or none; its `norm` is head, across, bare or none"
  require all([layer_acts(l.mlp) for l in all_layers]),
    "an MLP is dense, experts, plain_experts or none; its `activation` is silu or gelu with a gate, gelu, relu, relu2 or xielu without"
  require all([layer_normed(l) for l in all_layers]),
    "`norms` of a layer are before, after, around or sum; or shared or apart, where it has attention and an MLP or experts with a gate"
  require is_one_of(d.norm, ["rms", "layer", "bare"]), "`norm` is rms, layer or bare"
  require all([is_one_of(t.norm, ["rms", "layer", "bare"]) for t in d.towers]), "`norm` of a tower is rms, layer or bare"
  require all([
    is_one_of(s.kind, ["norm", "rmsnorm", "linear", "gelu", "merge", "pool"]) for t in d.towers for s in t.steps + t.deep_steps
  ]), "a step of a tower is norm, rmsnorm, linear, gelu, merge or pool"
  require d.positions == 0 or d.seq <= d.positions, "there are more words than learned positions: lower `seq`, or `target`"
  require all([e.positions == 0 or e.seq <= e.positions for e in d.encoder]),
    "there are more words to read than learned positions: lower `seq`"
  require len(d.towers) <= 1, "there is one tower, or none"
  let unknown = d.unknown
  expect unknown == [], "keys of the configuration are not known here, and passed over"
  require d.hyper == 0 or d.per_layer == [], "layers have hyper-connections, or embeddings of their own"
  require all([not l.wide or l.mlp.kind == "none" for l in d.layers]), "a layer whose sums are `wide` has no MLP"
  require len(d.encoder) <= 1 and (d.encoder == [] or (d.mtp == [] and d.towers == [])),
    "there is one encoder, or none; where there is one, no module that predicts further words and no tower"
  let read = sum([e.seq for e in d.encoder if not e.sounds]) // words of the encoder, looked up together
  ids = input([batch, d.seq + read], int64)
  words = embedding(ids, d.vocab, d.embed_width) as embed
  x = words
  memory = words
  if read > 0 {
    parts = cut_sequence(words, read, read + d.seq) as parts
    memory = _encoded(parts[0], d.encoder[0], d) as encoder
    x = parts[1]
  }
  if len(d.encoder) > 0 and read == 0 {
    h = _heard(d.encoder[0], d.hidden, batch) as encoder
    memory = _encoded(h, d.encoder[0], d) as encoder
  }
  if len(d.towers) > 0 {
    v = tower_patches(d.towers[0], batch * d.pictures) as pictures
    repeat len(d.towers[0].layers) as picture {
      v = decoder_layer(v, v, d.towers[0].layers[picture], d.towers[0].norm)
      if any([k == picture for k in d.towers[0].deep]) {
        q = tower_steps(v, d.towers[0].deep_steps, d.towers[0].norm) as deep
        x = placed(x, q, added: true) as deep_placed
      }
    }
    p = tower_words(v, d.towers[0]) as pictures
    x = placed(x, p) as placed
  }
  if d.embed_width != d.hidden {
    x = linear(x, out: d.hidden) as embed_in
  }
  if d.positions > 0 {
    x = position_embedding(x, d.positions) as position
  }
  if d.segments > 0 {
    kinds = input([batch, d.seq], int64)
    x = segment_embedding(x, kinds, d.segments) as segment
  }
  if d.embed_dropout > 0 {
    x = dropout(x) as embed_dropout
  }
  if d.embed_norm {
    x = norm_of(x, d.norm) as embed_norm
  }
  if d.hyper > 0 {
    x = copied_streams(x, streams: d.hyper) as streams
    repeat len(d.layers) as layer {
      x = hyper_layer(x, d.layers[layer], d.hyper, d.norm, load_at(d.load, _nth(d.layers, layer)))
    }
    x = head_of_streams(x, streams: d.hyper) as streams_head
  }
  if len(d.per_layer) == 0 and d.hyper == 0 {
    repeat len(d.layers) as layer {
      x = decoder_layer(x, memory, d.layers[layer], d.norm, load_at(d.load, _nth(d.layers, layer)), d.dropout > 0)
    }
  }
  if len(d.per_layer) > 0 {
    e = layer_embeddings(ids, words, d.per_layer[0], len(d.layers)) as per_layer
    x = into_streams(x, d.per_layer[0])
    repeat len(d.layers) as layer {
      x = per_layer(x, e, d.layers[layer], d.per_layer[0], d.norm, load_at(d.load, _nth(d.layers, layer)))
    }
    x = out_of_streams(x, d.per_layer[0])
  }
  if any([l.wide for l in d.layers]) {
    x = in_format_of(x, words) as narrow
  }
  n = x
  if d.final_norm {
    n = norm_of(x, d.norm) as final_norm
  }
  if d.embed_width != d.hidden {
    n = linear(n, out: d.embed_width) as embed_out
  }
  if d.head_dense {
    h = linear(n, out: d.hidden, bias: true) as head_dense
    g = gelu(h) as head_act
    n = norm_of(g, d.norm) as head_norm
  }
  if d.tiled {
    loss = tiled_loss(n, out: d.vocab, tied: d.tied) as head
  } else {
    logits = linear(n, out: d.vocab, bias: d.head_bias, tied: d.tied) as head
    if d.soft_cap {
      logits = tanh(logits) as soft_cap
    }
    loss = cross_entropy(logits) as loss
  }
  repeat len(d.mtp) as mtp {
    p = predict_next(x, words) as next
    x = decoder_layer(p, memory, d.mtp[mtp], d.norm, load_at(d.load, _sparse(d.layers) + _nth(d.mtp, mtp)), d.dropout > 0)
    n = norm_of(x, d.norm) as final_norm
    logits = linear(n, out: d.vocab, tied: true, table: if d.tied then "embed" else "head") as head
    loss = cross_entropy(logits) as loss
  }
}
