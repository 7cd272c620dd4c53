// Fine-tuning of Llama by low-rank adapters (LoRA: Hu et al., arXiv 2106.09685). The model's own
// weights are frozen; beside the packed queries, keys and values and beside the output projection
// stands a narrow pair of products that is trained, as in MLPerf's reference for Llama 2 70B. Norms
// are counted as trained: they are small.
import std.ops.nn

block lora_layer(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int, ffn: Int, rank: Int) {
  require min(heads, kv_heads, head_dim, ffn, rank) >= 1, "counts and widths are 1 or more"
  let hidden = last(x.shape)
  let packed = (heads + 2 * kv_heads) * head_dim
  n1 = rmsnorm(x) as ln1
  p = linear(n1, out: packed, frozen: true) as attn.qkv
  pa = linear(n1, out: rank) as attn.adapter_in
  pb = linear(pa, out: packed) as attn.adapter.qkv
  qkv = add(p, pb) as attn.adapted
  q = rotary(qkv, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.rotary
  a = attention(q, heads: heads, kv_heads: kv_heads, head_dim: head_dim) as attn.core
  o = linear(a, out: hidden, frozen: true) as attn.proj
  oa = linear(a, out: rank) as attn.adapter.proj
  ob = linear(oa, out: hidden) as attn.adapter_out
  s = add(o, ob) as attn.summed
  r = add(x, s) as attn.residual
  n2 = rmsnorm(r) as ln2
  u = linear(n2, out: 2 * ffn, frozen: true) as mlp.up
  g = swiglu(u) as mlp.act
  d = linear(g, out: hidden, frozen: true) as mlp.down
  yield add(r, d) as mlp.residual
}

model llama_lora(
  layers: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  ffn: Int,
  vocab: Int,
  seq: Int,
  rank: Int = 16,
) {
  require min(layers, hidden, heads, kv_heads, ffn, vocab, seq, rank) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden, frozen: true) as embed
  repeat layers as layer {
    x = lora_layer(x, heads, kv_heads, hidden / heads, ffn, rank)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab, frozen: true) as head
  loss = cross_entropy(logits) as loss
}

fn llama2_70b_lora(seq: Int = 8192, rank: Int = 16) -> Model = llama_lora(80, 8192, 64, 8, 28672, 32000, seq, rank)
