// T5 of Hugging Face's transformers as PyTorch runs it without a compiler (4.46: modeling_t5.py;
// std.ops.torch): scores, probabilities, masks and what is left of them are tensors of their own.
// The decoder is as long as the encoder. `amp`: products under autocast. `again`: feed-forwards are
// computed again; autocast keeps its copies of their weights until the forward ends all the same.
import std.ops.torch

// T5 bounds what a part gives in fp16.
block t5_bounded(x: Tensor) {
  if x.dtype == fp16 {
    yield torch_clamp(x) as clamp
  } else {
    yield x
  }
}

block t5_scores(x: Tensor, memory: Tensor, heads: Int, head_dim: Int, held: Size, amp: Any) {
  n = torch_rmsnorm(x, input: true) as ln
  q = torch_linear(n, out: heads * head_dim, amp: amp) as q
  k = torch_linear(memory, out: heads * head_dim, amp: amp) as k
  v = torch_linear(memory, out: heads * head_dim, amp: amp) as v
  a = torch_score_attention(q, k, v, heads: heads, head_dim: head_dim, held: held) as attention
  o = torch_linear(a, out: last(x.shape), amp: amp) as o
  d = torch_dropout(o) as dropout
  yield torch_add(x, d) as residual
}

block t5_self_scores(x: Tensor, heads: Int, head_dim: Int, held: Size, amp: Any) {
  n = torch_rmsnorm(x, input: true) as ln
  q = torch_linear(n, out: heads * head_dim, amp: amp) as q
  k = torch_linear(n, out: heads * head_dim, amp: amp) as k
  v = torch_linear(n, out: heads * head_dim, amp: amp) as v
  a = torch_score_attention(q, k, v, heads: heads, head_dim: head_dim, held: held) as attention
  o = torch_linear(a, out: last(x.shape), amp: amp) as o
  d = torch_dropout(o) as dropout
  yield torch_add(x, d) as residual
}

block t5_feed_forward(x: Tensor, ffn: Int, amp: Any) {
  n = torch_rmsnorm(x, input: true) as norm
  u = torch_linear(n, out: ffn, amp: amp) as up
  r = torch_relu(u) as relu
  d = torch_dropout(r) as inner_dropout
  o = torch_linear(d, out: last(x.shape), amp: amp) as down
  y = torch_dropout(o) as dropout
  yield torch_add(x, y) as residual
}

model hf_t5(
  layers: Int,
  hidden: Int,
  heads: Int,
  head_dim: Int,
  ffn: Int,
  seq: Int,
  vocab: Int = 32128,
  amp: Any = none,
  again: Bool = false,
) {
  require min(layers, hidden, heads, head_dim, ffn, seq, vocab) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  e = torch_embedding(ids, vocab, hidden) as embed
  let bias = bytes(e.dtype) * batch * heads * seq * seq
  let copies = if amp == none or not again then 0 B else 2 * layers * hidden * ffn * bytes(amp) // of a half
  x = torch_dropout(e) as encoder_dropout
  repeat layers as encoder {
    a = t5_self_scores(x, heads, head_dim, bias, amp) as self
    ac = t5_bounded(a) as self_bound
    f = t5_feed_forward(ac, ffn, amp) as ff
    x = t5_bounded(f) as bound
  }
  n = torch_rmsnorm(x, input: true) as encoder_ln
  memory = torch_dropout(n) as memory
  targets = input([batch, seq], int64)
  t = torch_embedding(targets, vocab, hidden, tied: true) as decoder_embed
  y = torch_dropout(t) as decoder_dropout
  // Biases of its own scores and of those over the encoder's output are held by the whole decoder.
  repeat layers as decoder {
    b = t5_self_scores(y, heads, head_dim, 2 * bias + 2 * copies, amp) as self
    bc = t5_bounded(b) as self_bound
    c = t5_scores(bc, memory, heads, head_dim, 2 * bias + 2 * copies, amp) as cross
    cc = t5_bounded(c) as cross_bound
    g = t5_feed_forward(cc, ffn, amp) as ff
    y = t5_bounded(g) as bound
  }
  m = torch_rmsnorm(y, input: true) as decoder_ln
  d = torch_dropout(m) as final_dropout
  s = torch_scale(d) as scale
  logits = torch_linear(s, out: vocab, tied: true, amp: amp) as head
  let half = if amp == none then bytes(e.dtype) else bytes(amp)
  // Keys and values for later words: what attention keeps are copies of them, where it makes any.
  let cache = if batch > 1 then 4 * layers * batch * seq * heads * head_dim * half else 0 B
  if amp != none {
    p = torch_log_softmax(logits, held: 2 * copies + cache) as log_softmax
    f = torch_float(p) as float
    loss = torch_nll_loss(f, held: 2 * copies + cache + bytes(logits)) as loss
  } else {
    r = torch_log_softmax(logits, held: 2 * copies + cache) as log_softmax
    loss = torch_nll_loss(r, held: 2 * copies + cache + bytes(logits)) as loss
  }
}
fn hf_t5_large(seq: Int, amp: Any = none, again: Bool = false) -> Model = hf_t5(24, 1024, 16, 64, 4096, seq, amp: amp, again: again)
