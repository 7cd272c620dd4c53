// Embeddings of each layer, which gate what it gives, and layers in streams (std.ops.streams): Gemma 3n, and the small
// ones of Gemma 4.
import std.ops.nn, std.ops.streams
export import std.models.layers

// `width`: of a layer's embedding, out of a table of `vocab` words for all layers. `streams`: 1, or those of which a layer works on the
// first; `rank`: of a product in two that goes beside its attention then, and `corrected` where what comes out has learned factors.
record PerLayer {
  width: Int
  vocab: Int
  streams: Int = 1
  rank: Int = 1
  corrected: Bool = false
}

// Embeddings of all layers side by side: the table's, and a product of the words.
block layer_embeddings(ids: Tensor, words: Tensor, p: PerLayer, layers: Int) {
  e = embedding(ids, p.vocab, layers * p.width) as table
  q = linear(words, out: layers * p.width) as project
  n = part_norm(q, p.width) as norm
  yield add(e, n) as sum
}

block into_streams(x: Tensor, p: PerLayer) {
  if p.streams > 1 {
    o = linear(x, out: (p.streams - 1) * last(x.shape)) as streams
    x = join(x, o) as streams_join
  }
  yield x
}

// What a layer's embedding makes of its words.
block _gated(x: Tensor, e: Tensor, p: PerLayer, norm: String) {
  g = linear(x, out: p.width) as gate
  m = part_of(e, p.width) as own
  a = gated_gelu(g, m) as act
  y = linear(a, out: last(x.shape)) as project
  n = norm_of(y, norm) as norm
  yield n
}

block _low_rank(x: Tensor, rank: Int, norm: String) {
  d = linear(x, out: rank) as down
  u = linear(d, out: last(x.shape)) as up
  n = norm_of(u, norm) as norm
  yield add(x, n) as sum
}

// A layer with norms around its halves.
block _in_streams(x: Tensor, e: Tensor, l: Layer, p: PerLayer, norm: String, load: Any) {
  s = predict_streams(x, streams: p.streams) as predict
  f = part_of(s, div(last(x.shape), p.streams)) as first
  n = norm_of(f, norm) as ln1
  b = _low_rank(n, p.rank, norm) as laurel
  a = mix_words(n, l.mixer) as attn
  an = norm_of(a, norm) as attn.norm
  r = add(f, an) as attn.residual
  h = add(r, b) as laurel.residual
  n2 = norm_of(h, norm) as ln2
  y = mlp_half(n2, l.mlp, load)
  yn = norm_of(y, norm) as mlp.norm
  o = add(h, yn) as mlp.residual
  c = correct_streams(s, o, streams: p.streams) as correct
  q = part_of(c, last(o.shape)) as corrected
  if p.corrected {
    q = layer_scale(q) as corrected_scale
  }
  g = _gated(q, e, p, norm) as own
  yield add_to_others(c, g) as own.residual
}

block per_layer(x: Tensor, e: Tensor, l: Layer, p: PerLayer, norm: String, load: Any) {
  if p.streams > 1 {
    y = _in_streams(x, e, l, p, norm, load)
  } else {
    z = decoder_layer(x, x, l, norm, load)
    g = _gated(z, e, p, norm) as own
    y = add(z, g) as own.residual
  }
  yield y
}

block out_of_streams(x: Tensor, p: PerLayer) {
  if p.streams > 1 {
    x = join_streams(x, streams: p.streams) as streams_mean
  }
  yield x
}
