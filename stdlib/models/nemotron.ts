// NVIDIA's Nemotron: Nemotron-4 (Parmar et al., arXiv 2402.16819; Adler et al., arXiv 2406.11704),
// layers as in Llama whose MLPs have no gate and a squared ReLU; and the hybrids, whose layers are
// one half each: a state space (Mamba-2), attention, an MLP or experts (Nemotron-H, arXiv
// 2504.03624; Nemotron 3 Nano, Super and Ultra, NVIDIA 2025 and 2026, from their public
// configurations).
import std.ops.nn, std.ops.moe, std.ops.mamba, std.models.llama, std.models.deepseek (predict_next)
export import std.ops.routing

block plain_mlp(x: Tensor, ffn: Int) {
  require min(ffn) >= 1, "counts and widths are 1 or more"
  n = rmsnorm(x) as ln2
  u = linear(n, out: ffn) as mlp.up
  g = squared_relu(u) as mlp.act
  d = linear(g, out: last(x.shape)) as mlp.down
  yield add(x, d) as mlp.residual
}

block state_space(x: Tensor, inner: Int, groups: Int, state: Int, heads: Int) {
  n = rmsnorm(x) as ln1
  p = linear(n, out: 2 * inner + 2 * groups * state + heads) as ssm.up
  parts = mamba_conv(p, inner: inner, groups: groups, state: state, heads: heads) as ssm.conv
  o = mamba_scan(parts[0], parts[1], inner: inner, groups: groups, state: state, heads: heads) as ssm.scan
  d = linear(o, out: last(x.shape)) as ssm.down
  yield add(x, d) as ssm.residual
}

// Experts without a gate, in a narrower space of `latent` if there is one: tokens are cast into it
// before they are sent, and back after. `corrected`: as in `router`; `met`: so many experts are built, as
// in `experts` (std.ops.moe).
block plain_experts(
  x: Tensor,
  experts: Int,
  top: Int,
  ffn: Int,
  shared: Int,
  latent: Int,
  load: Any,
  corrected: Bool = false,
  met: Int = experts,
) {
  let hidden = last(x.shape)
  n = rmsnorm(x) as ln2
  gates = router(n, experts: experts, top: top, corrected: corrected) as moe.router
  if latent > 0 {
    z = linear(n, out: latent) as moe.latent_in
  } else {
    z = n
  }
  sent = dispatch(z, experts: met, top: top, load: load) as moe.dispatch
  let routed = real(rows(x)) * top / rows(sent)
  u = expert_linear(sent, out: ffn, routed: routed) as moe.experts.up
  g = squared_relu(u) as moe.experts.act
  d = expert_linear(g, out: if latent > 0 then latent else hidden, routed: routed) as moe.experts.down
  y = combine(d, gates, load: load) as moe.combine
  if latent > 0 {
    y = linear(y, out: hidden) as moe.latent_out
  }
  if shared > 0 {
    su = linear(n, out: shared) as moe.shared.up
    sg = squared_relu(su) as moe.shared.act
    sd = linear(sg, out: hidden) as moe.shared.down
    y = add(y, sd) as moe.shared.sum
  }
  yield add(x, y) as moe.residual
}

model nemotron4(layers: Int, hidden: Int, heads: Int, kv_heads: Int, ffn: Int, seq: Int, vocab: Int = 256000) {
  require min(layers, hidden, heads, kv_heads, ffn, vocab, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  x = embedding(ids, vocab, hidden) as embed
  repeat layers as layer {
    r = llama_attention(x, heads, kv_heads, hidden / heads)
    x = plain_mlp(r, ffn)
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
}

fn nemotron3_8b(seq: Int = 4096) -> Model = nemotron4(32, 4096, 32, 32, 16384, seq)
fn nemotron_22b(seq: Int = 4096) -> Model = nemotron4(40, 6144, 48, 48, 24576, seq)
fn nemotron4_15b(seq: Int = 4096) -> Model = nemotron4(32, 6144, 48, 8, 24576, seq)
fn nemotron4_340b(seq: Int = 4096) -> Model = nemotron4(96, 18432, 96, 8, 73728, seq)

// `attention_at`: the n-th layer is attention if `n % attention_at` is half of it; the others are
// alternately a state space and an MLP or experts. `mtp`: modules that predict further words, of
// attention and experts each (std.models.deepseek has the idea). Super and Ultra have one with two
// depths that share weights (Megatron-Bridge's recipes: `mtp_num_layers` 2, `*E`, repeated), here
// two with weights of their own.
fn _attends(n: Int, every: Int) -> Bool = n % every == div(every, 2)

model nemotron_hybrid(
  layers: Int,
  every: Int,
  hidden: Int,
  heads: Int,
  kv_heads: Int,
  inner: Int,
  ssm_heads: Int,
  state: Int,
  seq: Int,
  groups: Int = 8,
  head_dim: Int = 128,
  ffn: Int = 0,
  experts: Int = 0,
  top: Int = 1,
  shared: Int = 0,
  latent: Int = 0,
  vocab: Int = 131072,
  mtp: Int = 0,
  load: Any = 1,
) {
  require min(layers, every, hidden, heads, kv_heads, inner, ssm_heads, state, ffn, seq) >= 1, "counts and widths are 1 or more"
  ids = input([batch, seq], int64)
  words = embedding(ids, vocab, hidden) as embed
  x = words
  repeat layers as layer {
    if _attends(layer, every) {
      x = llama_attention(x, heads, kv_heads, head_dim)
    } else {
      if (layer - div(layer + div(every, 2), every)) % 2 == 0 {
        x = state_space(x, inner, groups, state, ssm_heads)
      } else {
        if experts > 0 {
          x = plain_experts(x, experts, top, ffn, shared, latent, load)
        } else {
          x = plain_mlp(x, ffn)
        }
      }
    }
  }
  n = rmsnorm(x) as final_norm
  logits = linear(n, out: vocab) as head
  loss = cross_entropy(logits) as loss
  repeat mtp as mtp {
    p = predict_next(x, words) as next
    r = llama_attention(p, heads, kv_heads, head_dim)
    x = plain_experts(r, experts, top, ffn, shared, latent, load)
    n = rmsnorm(x) as final_norm
    logits = linear(n, out: vocab, tied: true, table: "head") as head
    loss = cross_entropy(logits) as loss
  }
}

fn nemotron_h_56b(seq: Int = 8192) -> Model = nemotron_hybrid(118, 12, 8192, 64, 8, 16384, 256, 256, seq, ffn: 32768)
fn nemotron3_nano(seq: Int = 8192, load: Any = 1) -> Model = nemotron_hybrid(
  52,
  9,
  2688,
  32,
  2,
  4096,
  64,
  128,
  seq,
  ffn: 1856,
  experts: 128,
  top: 6,
  shared: 3712,
  load: load,
)
fn nemotron3_super(seq: Int = 8192, load: Any = 1, mtp: Int = 2) -> Model = nemotron_hybrid(
  88,
  11,
  4096,
  32,
  2,
  8192,
  128,
  128,
  seq,
  ffn: 2688,
  experts: 512,
  top: 22,
  shared: 5376,
  latent: 1024,
  mtp: mtp,
  load: load,
)
fn nemotron3_ultra(seq: Int = 8192, load: Any = 1, mtp: Int = 2) -> Model = nemotron_hybrid(
  108,
  9,
  8192,
  64,
  2,
  16384,
  256,
  128,
  seq,
  ffn: 5120,
  experts: 512,
  top: 22,
  shared: 10240,
  latent: 2048,
  mtp: mtp,
  load: load,
)
