// DeepSeek-V3 (arXiv 2412.19437): multi-head latent attention, dense layers first, then experts of
// which one is shared, and modules that predict further words (MTP). Queries and keys have `nope`
// elements without and `rope` with a position.
import std.ops.nn, std.ops.latent, std.models.llama, std.models.llama_moe
export import std.ops.routing

block latent_attention(
  x: Tensor,
  heads: Int,
  q_rank: Int,
  kv_rank: Int,
  nope: Int,
  rope: Int,
  v_dim: Int,
  turned: Bool = true,
  gate: Int = 0,
  window: Int = 0,
) {
  c = x
  if q_rank > 0 {
    a = linear(x, out: q_rank) as query.compress
    c = rmsnorm(a) as query.norm
  }
  q = linear(c, out: heads * (nope + rope)) as query.up
  if turned {
    q = latent_rotary(q, width: nope + rope, rope: rope) as query.rotary
  }
  d = linear(x, out: kv_rank + rope) as keys.compress
  parts = cut(d, kv_rank) as keys.cut
  e = rmsnorm(parts[0]) as keys.norm
  f = linear(e, out: heads * (nope + v_dim)) as keys.up
  kv = latent_keys(f, parts[1], nope: nope, v_dim: v_dim) as keys.rotary
  o = query_attention(q, kv, head_dim: nope + rope, v_dim: v_dim, causal: true, window: window) as core
  if gate > 0 {
    g = linear(x, out: gate) as gate.up
    o = gated_silu(g, o) as gate.act
  }
  yield linear(o, out: last(x.shape)) as proj
}

block latent_half(x: Tensor, heads: Int, q_rank: Int, kv_rank: Int, nope: Int, rope: Int, v_dim: Int) {
  n = rmsnorm(x) as ln1
  a = latent_attention(n, heads, q_rank, kv_rank, nope, rope, v_dim) as attn
  yield add(x, a) as attn.residual
}

// The words before, now as the layers left them, and the next words as embedded, into one more
// layer. Embedding and head are the model's own: the embedded words are those looked up at its
// beginning, one place on.
block predict_next(x: Tensor, words: Tensor) {
  a = rmsnorm(x) as norm
  b = rmsnorm(words) as word_norm
  c = join(a, b) as join
  yield linear(c, out: last(x.shape)) as merge
}

model deepseek(
  layers: Int,
  dense_layers: Int,
  hidden: Int,
  heads: Int,
  q_rank: Int,
  kv_rank: Int,
  dense: Int,
  ffn: Int,
  experts: Int,
  top: Int,
  vocab: Int,
  seq: Int,
  shared: Int = ffn,
  nope: Int = 128,
  rope: Int = 64,
  v_dim: Int = 128,
  mtp: Int = 1,
  load: Any = 1,
) {
  require min(layers, hidden, heads, kv_rank, nope, rope, v_dim) >= 1, "counts and widths are 1 or more"
  require q_rank >= 0, "`q_rank` is 0, where queries are not compressed, or more"
  require min(vocab, seq) >= 1 and mtp >= 0, "`vocab` and `seq` are 1 or more, `mtp` 0 or more"
  require dense_layers >= 0 and dense_layers <= layers, "`dense_layers` are the first of all `layers`"
  require dense_layers == 0 or dense >= 1, "layers without experts need a width: state `dense`"
  require loads_fit(load, layers - dense_layers + mtp),
    "where layers have loads of their own, there is one for each with experts, those of `mtp` last"
  ids = input([batch, seq], int64)
  words = embedding(ids, vocab, hidden) as embed
  x = words
  repeat layers as layer {
    r = latent_half(x, heads, q_rank, kv_rank, nope, rope, v_dim)
    if layer < dense_layers {
      x = llama_mlp(r, dense)
    } else {
      x = moe_half(r, experts, top, ffn, shared, load_at(load, layer - dense_layers))
    }
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
  repeat mtp as mtp {
    p = predict_next(x, words) as next
    r = latent_half(p, heads, q_rank, kv_rank, nope, rope, v_dim)
    x = moe_half(r, experts, top, ffn, shared, load_at(load, layers - dense_layers + mtp))
    n = rmsnorm(x) as final_norm
    logits = linear(n, out: vocab, tied: true, table: "head") as head
    loss = cross_entropy(logits) as loss
  }
}

fn deepseek_v3(seq: Int = 4096, mtp: Int = 1, load: Any = 1) -> Model = deepseek(
  layers: 61,
  dense_layers: 3,
  hidden: 7168,
  heads: 128,
  q_rank: 1536,
  kv_rank: 512,
  dense: 18432,
  ffn: 2048,
  experts: 256,
  top: 8,
  vocab: 129280,
  seq: seq,
  mtp: mtp,
  load: load,
)

// Kimi K2 (Moonshot AI, arXiv 2507.20534): the same architecture with half the heads, more experts
// and no further words predicted.
fn kimi_k2(seq: Int = 4096, load: Any = 1) -> Model = deepseek(
  layers: 61,
  dense_layers: 1,
  hidden: 7168,
  heads: 64,
  q_rank: 1536,
  kv_rank: 512,
  dense: 18432,
  ffn: 2048,
  experts: 384,
  top: 8,
  vocab: 163840,
  seq: seq,
  mtp: 0,
  load: load,
)

// Moonlight (Moonshot AI, arXiv 2502.16982): the same architecture, small, with queries that are not
// compressed.
fn moonlight_16b(seq: Int = 4096, load: Any = 1) -> Model = deepseek(
  layers: 27,
  dense_layers: 1,
  hidden: 2048,
  heads: 16,
  q_rank: 0,
  kv_rank: 512,
  dense: 11264,
  ffn: 1408,
  shared: 2816,
  experts: 64,
  top: 6,
  vocab: 163840,
  seq: seq,
  mtp: 0,
  load: load,
)
