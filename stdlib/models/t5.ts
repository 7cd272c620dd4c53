// T5 (Raffel et al., arXiv 1910.10683): encoder and decoder, RMS norm before each part, ReLU, no
// biases; scores get a bias by relative position from 32 buckets a head, whose table the layers of
// a half share (the first holds it). One embedding serves encoder, decoder and head: the words of
// both are looked up together.
import std.ops.nn

block t5_attention(x: Tensor, heads: Int, head_dim: Int, causal: Bool, buckets: Int) {
  n = rmsnorm(x) as ln
  qkv = linear(n, out: 3 * heads * head_dim) as qkv
  a = attention(qkv, heads: heads, kv_heads: heads, head_dim: head_dim, causal: causal, buckets: buckets) as core
  o = linear(a, out: last(x.shape)) as proj
  d = dropout(o) as dropout
  yield add(x, d) as residual
}

// The decoder's queries over the encoder's output.
block t5_cross(x: Tensor, memory: Tensor, heads: Int, head_dim: Int) {
  n = rmsnorm(x) as ln
  q = linear(n, out: heads * head_dim) as q
  kv = linear(memory, out: 2 * heads * head_dim) as kv
  a = query_attention(q, kv, head_dim: head_dim) as core
  o = linear(a, out: last(x.shape)) as proj
  d = dropout(o) as dropout
  yield add(x, d) as residual
}

// `gated`: two products, of which GELU of one gates the other (T5 1.1).
block t5_mlp(x: Tensor, ffn: Int, gated: Bool = false) {
  n = rmsnorm(x) as ln
  if gated {
    u = linear(n, out: 2 * ffn) as up
    r = geglu(u) as act
  } else {
    u = linear(n, out: ffn) as up
    r = relu(u) as act
  }
  d = linear(r, out: last(x.shape)) as down
  y = dropout(d) as dropout
  yield add(x, y) as residual
}

model t5(
  layers: Int,
  hidden: Int,
  heads: Int,
  head_dim: Int,
  ffn: Int,
  vocab: Int = 32128,
  seq: Int = 512,
  target: Int = 114,
  decoders: Int = layers,
  gated: Bool = false,
  tied: Bool = true,
  buckets: Int = 32,
) {
  require min(layers, hidden, heads, head_dim, ffn, vocab, seq, target) >= 1, "counts and widths are 1 or more"
  require decoders >= 1 and buckets >= 0, "counts of layers are 1 or more, `buckets` 0 or more"
  ids = input([batch, seq + target], int64)
  e = embedding(ids, vocab, hidden) as embed
  halves = cut_sequence(e, seq, seq + target) as halves
  x = dropout(halves[0]) as encoder_dropout
  repeat layers as encoder {
    a = t5_attention(x, heads, head_dim, false, if encoder == 0 then buckets else 0) as attn
    x = t5_mlp(a, ffn, gated) as mlp
  }
  n = rmsnorm(x) as encoder_norm
  memory = dropout(n) as memory
  y = dropout(halves[1]) as decoder_dropout
  repeat decoders as decoder {
    b = t5_attention(y, heads, head_dim, true, if decoder == 0 then buckets else 0) as attn
    c = t5_cross(b, memory, heads, head_dim) as cross
    y = t5_mlp(c, ffn, gated) as mlp
  }
  m = rmsnorm(y) as final_norm
  logits = linear(m, out: vocab, tied: tied) as head
  loss = cross_entropy(logits) as loss
}

// `target`: the words to predict, 114 for spans that hide 15 % of 512.
fn t5_small(seq: Int = 512, target: Int = 114) -> Model = t5(6, 512, 8, 64, 2048, seq: seq, target: target)
fn t5_base(seq: Int = 512, target: Int = 114) -> Model = t5(12, 768, 12, 64, 3072, seq: seq, target: target)
fn t5_large(seq: Int = 512, target: Int = 114) -> Model = t5(24, 1024, 16, 64, 4096, seq: seq, target: target)
fn t5_3b(seq: Int = 512, target: Int = 114) -> Model = t5(24, 1024, 32, 128, 16384, seq: seq, target: target)
fn t5_11b(seq: Int = 512, target: Int = 114) -> Model = t5(24, 1024, 128, 128, 65536, seq: seq, target: target)
