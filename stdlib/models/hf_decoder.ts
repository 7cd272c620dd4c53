// Llama and Gemma of Hugging Face's transformers as PyTorch runs them without a compiler
// (transformers 4.46: modeling_llama.py, modeling_gemma.py; std.ops.torch). `amp`: products under
// autocast. The loss is ForCausalLMLoss: logits in fp32, all but the last word copied, while the
// model's logits and the keys and values for later words are held. `again`: MLPs are computed again;
// autocast keeps its copies of their weights until the forward ends all the same.
import std.ops.torch

block hf_gated_mlp(x: Tensor, ffn: Int, gelu: Bool, amp: Any) {
  g = torch_linear(x, out: ffn, amp: amp) as gate
  a = torch_silu(g) as act
  u = torch_linear(x, out: ffn, amp: amp) as up
  m = torch_mul(a, u) as product
  yield torch_linear(m, out: last(x.shape), amp: amp) as down
}

block hf_decoder_layer(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, gemma: Bool, amp: Any) {
  n = torch_rmsnorm(x, offset: gemma) as ln1
  q = torch_linear(n, out: heads * head_dim, amp: amp) as q
  k = torch_linear(n, out: kv_heads * head_dim, amp: amp) as k
  v = torch_linear(n, out: kv_heads * head_dim, amp: amp) as v
  a = torch_attention(q, k, v, heads: heads, kv_heads: kv_heads, head_dim: head_dim, rotary: true, amp: amp) as attention
  o = torch_linear(a, out: last(x.shape), amp: amp) as o
  r = torch_add(x, o) as attention_residual
  n2 = torch_rmsnorm(r, offset: gemma) as ln2
  m = hf_gated_mlp(n2, ffn, gemma, amp) as mlp
  yield torch_add(r, m) as residual
}

// Logits to loss. `held`: keys and values of all layers.
block hf_causal_loss(logits: Tensor, held: Size) {
  if bytes(logits.dtype) < bytes(fp32) {
    f = torch_float(logits) as float
    s = torch_shifted(f) as shifted
    let more = held + bytes(logits) + (if logits.shape[0] > 1 then bytes(f) else 0 B)
    p = torch_log_softmax(s, held: more) as log_softmax
    let all = more + (if logits.shape[0] > 1 then bytes(s) else bytes(f))
    yield torch_nll_loss(p, held: all) as nll
  } else {
    s = torch_shifted(logits) as shifted
    let more = held + (if logits.shape[0] > 1 then bytes(logits) else 0 B)
    p = torch_log_softmax(s, held: more) as log_softmax
    yield torch_nll_loss(p, held: held + bytes(logits) + (if logits.shape[0] > 1 then bytes(s) else 0 B)) as nll
  }
}

model hf_causal(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  ffn: Int,
  vocab: Int,
  seq: Int,
  gemma: Bool = false,
  amp: Any = none,
  again: Bool = false,
) {
  require min(layers, hidden, heads, kv_heads, head_dim, ffn, vocab, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = torch_embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    x = hf_decoder_layer(x, heads, kv_heads, head_dim, ffn, gemma, amp)
  }
  n = torch_rmsnorm(x, offset: gemma) as norm
  logits = torch_linear(n, out: vocab, tied: true, amp: amp) as head
  // Keys are turned in fp32 under autocast, values are products.
  let held = layers * batch * seq * kv_heads * head_dim * (if amp == none then 2 * bytes(x.dtype) else bytes(fp32) + bytes(amp))
  let copies = if amp == none or not again then 0 B else layers * 3 * hidden * ffn * bytes(amp)
  loss = hf_causal_loss(logits, held + copies) as loss
}

fn hf_llama32_1b(seq: Int, amp: Any = none, again: Bool = false) -> Model = hf_causal(
  16,
  2048,
  32,
  8,
  64,
  8192,
  128256,
  seq,
  amp: amp,
  again: again,
)
fn hf_gemma_2b(seq: Int, amp: Any = none, again: Bool = false) -> Model = hf_causal(
  18,
  2048,
  8,
  1,
  256,
  16384,
  256000,
  seq,
  gemma: true,
  amp: amp,
  again: again,
)
