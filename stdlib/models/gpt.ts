// GPT-2 and GPT-3: learned positions, layer norm before each half, GELU (Radford et al. 2019; Brown
// et al., arXiv 2005.14165), and models of the same architecture. The published models tie the head
// to the embedding; `gpt` does so where `tied` says it. `flash`: attention in one kernel that never
// writes the scores, instead of one after the other.
import std.ops.nn

block gpt_layer(x: Tensor, heads: Int, ffn: Int, flash: Bool) {
  require min(heads, ffn) >= 1, "counts and widths are 1 or more"
  let hidden = last(x.shape)
  n1 = layernorm(x) as ln1
  qkv = linear(n1, out: 3 * hidden, bias: true) as attn.qkv
  if flash {
    a = attention(qkv, heads: heads, kv_heads: heads, head_dim: hidden / heads) as attn.core
  } else {
    a = core_attention(qkv, heads: heads, head_dim: hidden / heads) as attn.core
  }
  o = linear(a, out: hidden) as attn.proj
  r = bias_dropout_add(o, x) as attn.residual
  n2 = layernorm(r) as ln2
  u = linear(n2, out: ffn) as mlp.up
  g = bias_gelu(u) as mlp.act
  d = linear(g, out: hidden) as mlp.down
  yield bias_dropout_add(d, r) as mlp.residual
}

model gpt(layers: Int, hidden: Int, heads: Int, vocab: Int, seq: Int, tied: Bool = false, positions: Int = seq, flash: Bool = false) {
  require min(layers, hidden, heads, vocab, seq) >= 1, "counts and widths are 1 or more"
  require positions >= seq, "each word of `seq` has a learned position: `positions` must be as many or more"
  ids = input([batch, seq], int64)
  e = embedding(ids, vocab, hidden) as embed
  p = position_embedding(e, positions) as position
  x = dropout(p) as embed_dropout
  repeat layers as layer {
    x = gpt_layer(x, heads, 4 * hidden, flash)
  }
  n = layernorm(x) as final_norm
  logits = linear(n, out: vocab, tied: tied) as head
  loss = cross_entropy(logits) as loss
}

// GPT-2 by its checkpoints. 50,257 words: to split the vocabulary over ranks, give it padded
// (50304, 51200).
fn gpt2(layers: Int, hidden: Int, heads: Int, seq: Int = 1024, vocab: Int = 50257) -> Model = gpt(
  layers: layers,
  hidden: hidden,
  heads: heads,
  vocab: vocab,
  seq: seq,
  tied: true,
  positions: 1024,
)
fn gpt2_small(seq: Int = 1024, vocab: Int = 50257) -> Model = gpt2(12, 768, 12, seq, vocab)
fn gpt2_medium(seq: Int = 1024, vocab: Int = 50257) -> Model = gpt2(24, 1024, 16, seq, vocab)
fn gpt2_large(seq: Int = 1024, vocab: Int = 50257) -> Model = gpt2(36, 1280, 20, seq, vocab)
fn gpt2_xl(seq: Int = 1024, vocab: Int = 50257) -> Model = gpt2(48, 1600, 25, seq, vocab)

// GPT-3 by table 2.1 of its paper. Two rows there contradict themselves: XL has 24 heads of 128 in
// a width of 2048 (16 here), 13B a width of 5140 for 40 heads of 128 (5120 here). Attention is
// dense here; the paper alternates it with a banded pattern of its own.
fn gpt3(layers: Int, hidden: Int, heads: Int, seq: Int = 2048, vocab: Int = 50257) -> Model = gpt(
  layers: layers,
  hidden: hidden,
  heads: heads,
  vocab: vocab,
  seq: seq,
  tied: true,
  positions: 2048,
)
fn gpt3_small(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(12, 768, 12, seq, vocab)
fn gpt3_medium(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(24, 1024, 16, seq, vocab)
fn gpt3_large(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(24, 1536, 16, seq, vocab)
fn gpt3_xl(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(24, 2048, 16, seq, vocab)
fn gpt3_2_7b(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(32, 2560, 32, seq, vocab)
fn gpt3_6_7b(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(32, 4096, 32, seq, vocab)
fn gpt3_13b(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(40, 5120, 40, seq, vocab)
fn gpt3_175b(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt3(96, 12288, 96, seq, vocab)

// Megatron-Turing NLG (Smith et al., arXiv 2201.11990).
fn mt_nlg_530b(seq: Int = 2048, vocab: Int = 50257) -> Model = gpt(105, 20480, 128, vocab, seq, tied: true, positions: 2048)
