// Transformers of any layers: a record says of each how it mixes words and what its MLP is.
// std.import.hf makes such records of configurations of Hugging Face's transformers. Labels are those
// of std.models.llama, and so are the ops where a model is of Llama's kind.
import std.ops.nn, std.ops.tiled, std.ops.moe, std.ops.mamba, std.ops.delta, std.ops.latent,
  std.models.deepseek (latent_attention, predict_next), std.models.nemotron (plain_experts)
export import std.ops.routing

// What mixes words. `norm`: of queries and keys: "head", "across" all heads, "bare" (without weights) or
// "none"; `window`: of so many keys; `share`: of a head has a position; `gated`: what attention gives is
// weighted by a product of its own, an element or (`gate_heads`) a head at a time; `q_rank` to `v_dim`: latent attention, as in std.models.deepseek;
// `index_heads`, of `index_dim`: what chooses the words that a query sees (std.ops.latent);
// `inner` to `conv_bias`: a state space, as in std.ops.mamba; `heads` of values and `kv_heads` of queries and
// keys of a delta network, of widths `v_dim` and `head_dim` (std.ops.delta).
record Mixer {
  kind: String = "attention" // or "latent", "state_space", "delta", "conv", "none"
  heads: Int = 1
  kv_heads: Int = heads
  head_dim: Int = 1
  bias: Bool = false
  out_bias: Bool = false
  norm: String = "none"
  window: Int = 0
  rotary: Bool = true
  share: Real = 1
  scaled: Bool = false
  sinks: Bool = false
  gated: Bool = false
  gate_heads: Bool = false
  q_rank: Int = 0
  kv_rank: Int = 1
  nope: Int = 1
  rope: Int = 1
  v_dim: Int = 1
  index_heads: Int = 0
  index_dim: Int = 1
  inner: Int = 1
  groups: Int = 1
  state: Int = 1
  taps: Int = 4
  chunk: Int = 128
  conv_bias: Bool = false
  scan_norm: Bool = true
  causal: Bool = true // of attention; where not, a window is a group of words that see each other
  same: Bool = false // keys are the values
  value_dim: Int = 0 // of attention whose values have another width than its keys
}

// The MLP. `activation`: "silu", "gelu", "relu" or "relu2" (squared); `gated`: by a second product of
// the same width. `shared_gate`, `biased`, `corrected`, `met`: see the block `experts` of std.ops.moe.
record Mlp {
  kind: String = "dense" // or "experts", "plain_experts" (no gate, squared ReLU), "none"
  ffn: Int = 1
  activation: String = "silu"
  gated: Bool = true
  bias: Bool = false
  experts: Int = 1
  top: Int = 1
  met: Int = experts
  shared: Int = 0
  tiled: Bool = false // a dense one takes a tile of words at a time
  beside: Int = 0 // experts: a dense one of this width takes the same words, each with norms of its own (Gemma 4)
  shared_gate: Bool = false
  biased: Bool = false
  corrected: Bool = false
  latent: Int = 0 // of plain experts: see std.models.nemotron
}

// `norms`: "before" each half, "after" each (before the sum), "around" both; halves that take the same
// word: one norm for both ("shared"), or a norm each ("apart").
record Layer {
  mixer: Mixer
  mlp: Mlp
  norms: String = "before"
}

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
  pre_norm: Bool = false
  post_norm: Bool = false
  steps: List[Step]
  deep: List[Int] = []
  deep_steps: List[Step] = []
}

// `norm`: "rms", "layer", or "bare" (without weights). `positions`: learned ones, of so many words.
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
  embed_norm: Bool = false
  final_norm: Bool = true
  soft_cap: Bool = false
  tiled: Bool = false // the head and the loss go over words in tiles
  embed_width: Int = hidden
  dropout: Real = 0
  embed_dropout: Real = 0
  mtp: List[Layer] = []
  load: Any = 1
  towers: List[Tower] = [] // of pictures: none or one
  pictures: Int = 1 // of a sample, whose words stand among the sample's
  unknown: List[String] = [] // what a file says that nobody knows
}

block _norm(x: Tensor, kind: String) {
  if kind == "rms" {
    y = rmsnorm(x) as norm
  } else {
    if kind == "layer" {
      y = layernorm(x) as norm
    } else {
      y = bare_norm(x) as norm
    }
  }
  yield y
}

// Queries apart from keys and values, which have widths of their own.
block _uneven_attention(x: Tensor, m: Mixer) {
  let rope = round(m.share * m.head_dim)
  q = linear(x, out: m.heads * m.head_dim, bias: m.bias) as q
  kv = linear(x, out: m.kv_heads * (m.head_dim + m.value_dim), bias: m.bias) as kv
  qr = latent_rotary(q, width: m.head_dim, rope: rope) as rotary
  kr = latent_rotary(kv, width: m.head_dim + m.value_dim, rope: rope) as keys.rotary
  a = query_attention(
    qr,
    kr,
    head_dim: m.head_dim,
    v_dim: m.value_dim,
    causal: true,
    window: m.window,
    sinks: m.sinks,
  ) as core
  yield linear(a, out: last(x.shape), bias: m.out_bias) as proj
}

// A short convolution between two gates (LFM2).
block _conv(x: Tensor, m: Mixer) {
  p = linear(x, out: 3 * last(x.shape), bias: m.bias) as up
  y = gated_conv(p, taps: m.taps, biased: m.bias) as conv
  yield linear(y, out: last(x.shape), bias: m.bias) as down
}

block _attention(x: Tensor, m: Mixer) {
  qkv = linear(x, out: (m.heads + (if m.same then 1 else 2) * m.kv_heads) * m.head_dim, bias: m.bias) as qkv
  if m.same {
    qkv = keys_as_values(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim) as values
  }
  if m.norm != "none" {
    qkv = qk_norm(
      qkv,
      heads: m.heads,
      kv_heads: m.kv_heads,
      head_dim: m.head_dim,
      across: m.norm == "across",
      learned: m.norm != "bare",
    ) as qk_norm
  }
  if m.rotary {
    qkv = rotary(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, scaled: m.scaled, share: m.share) as rotary
  }
  if m.causal {
    a = attention(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, window: m.window, sinks: m.sinks) as core
  } else {
    if m.window > 0 and m.window < x.shape[1] {
      w = grouped(qkv, m.window) as windows
      b = attention(w, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, causal: false) as core
      a = grouped(b, x.shape[1]) as whole
    } else {
      a = attention(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, causal: false) as core
    }
  }
  if m.gated {
    g = linear(x, out: if m.gate_heads then m.heads else m.heads * m.head_dim, bias: m.bias) as gate.up
    a = gated_silu(g, a) as gate.act
  }
  yield linear(a, out: last(x.shape), bias: m.out_bias) as proj
}

block _state_space(x: Tensor, m: Mixer) {
  p = linear(x, out: 2 * m.inner + 2 * m.groups * m.state + m.heads, bias: m.bias) as up
  parts = mamba_conv(
    p,
    inner: m.inner,
    groups: m.groups,
    state: m.state,
    heads: m.heads,
    taps: m.taps,
    learned: true,
    biased: m.conv_bias,
  ) as conv
  o = mamba_scan(
    parts[0],
    parts[1],
    inner: m.inner,
    groups: m.groups,
    state: m.state,
    heads: m.heads,
    chunk: m.chunk,
    learned: true,
    normed: m.scan_norm,
  ) as scan
  yield linear(o, out: last(x.shape), bias: m.bias) as down
}

block _delta(x: Tensor, m: Mixer) {
  let keys = m.kv_heads * m.head_dim
  let values = m.heads * m.v_dim
  p = linear(x, out: 2 * keys + 2 * values + 2 * m.heads) as up
  parts = delta_conv(p, keys: keys, values: values, heads: m.heads, taps: m.taps) as conv
  o = delta_scan(parts[0], parts[1], key_dim: m.head_dim, value_dim: m.v_dim, heads: m.heads) as scan
  yield linear(o, out: last(x.shape)) as down
}

block _mix(x: Tensor, m: Mixer) {
  if m.kind == "latent" {
    if m.index_heads > 0 {
      x = latent_index(x, q_rank: m.q_rank, heads: m.index_heads, head_dim: m.index_dim) as index
    }
    y = latent_attention(x, m.heads, m.q_rank, m.kv_rank, m.nope, m.rope, m.v_dim)
  } else {
    if m.kind == "state_space" {
      y = _state_space(x, m)
    } else {
      if m.kind == "delta" {
        y = _delta(x, m)
      } else {
        if m.kind == "conv" {
          y = _conv(x, m)
        } else {
          if m.value_dim > 0 {
            y = _uneven_attention(x, m)
          } else {
            y = _attention(x, m)
          }
        }
      }
    }
  }
  yield y
}

block _dense(x: Tensor, m: Mlp) {
  u = linear(x, out: if m.gated then 2 * m.ffn else m.ffn, bias: m.bias) as up
  if m.gated {
    if m.activation == "silu" {
      g = swiglu(u) as act
    } else {
      g = geglu(u) as act
    }
  } else {
    if m.activation == "relu2" {
      g = squared_relu(u) as act
    } else {
      if m.activation == "relu" {
        g = relu(u) as act
      } else {
        g = gelu(u) as act
      }
    }
  }
  yield linear(g, out: last(x.shape), bias: m.bias) as down
}

block _half(x: Tensor, m: Mlp, load: Any) {
  if m.kind == "experts" {
    y = experts(
      x,
      experts: m.experts,
      top: m.top,
      ffn: m.ffn,
      shared: m.shared,
      load: load,
      biased: m.biased,
      all_biases: m.biased,
      tanh_gate: m.activation != "silu",
      shared_gate: m.shared_gate,
      corrected: m.corrected,
      met: m.met,
    ) as moe
  } else {
    if m.tiled {
      y = tiled_mlp(x, ffn: m.ffn, gated: m.gated) as mlp
    } else {
      y = _dense(x, m) as mlp
    }
  }
  yield y
}

// The router has a norm of its own, which stands before that of the experts here.
block _both(x: Tensor, n: Tensor, m: Mlp, norm: String, load: Any) {
  d = _dense(n, m with { ffn = m.beside }) as mlp
  dn = _norm(d, norm) as mlp.after
  r = _norm(x, norm) as moe.router
  e = _norm(r, norm) as moe.before
  y = _half(e, m, load)
  yn = _norm(y, norm) as moe.after
  yield add(dn, yn) as moe.sum
}

block _beside(x: Tensor, l: Layer, norm: String, load: Any, drop: Bool) {
  n = _norm(x, norm) as ln1
  m = n
  if l.norms == "apart" {
    m = _norm(x, norm) as ln2
  }
  a = _mix(n, l.mixer) as attn
  y = _half(m, l.mlp, load)
  s = add(a, y) as mlp.sum
  if drop {
    s = dropout(s) as mlp.dropout
  }
  yield add(x, s) as mlp.residual
}

block _after_each_other(x: Tensor, l: Layer, norm: String, load: Any, drop: Bool) {
  let before = l.norms != "after"
  let after = l.norms != "before"
  if l.mixer.kind != "none" {
    n = x
    if before {
      n = _norm(x, norm) as ln1
    }
    a = _mix(n, l.mixer) as attn
    if after {
      a = _norm(a, norm) as attn.norm
    }
    if drop {
      a = dropout(a) as attn.dropout
    }
    x = add(x, a) as attn.residual
  }
  if l.mlp.kind == "plain_experts" {
    x = plain_experts(
      x,
      l.mlp.experts,
      l.mlp.top,
      l.mlp.ffn,
      l.mlp.shared,
      l.mlp.latent,
      load,
      corrected: l.mlp.corrected,
      met: l.mlp.met,
    )
  }
  if l.mlp.kind != "none" and l.mlp.kind != "plain_experts" {
    n = x
    if before {
      n = _norm(x, norm) as ln2
    }
    if l.mlp.beside > 0 {
      y = _both(x, n, l.mlp, norm, load)
    } else {
      y = _half(n, l.mlp, load)
    }
    if after {
      y = _norm(y, norm) as mlp.norm
    }
    if drop {
      y = dropout(y) as mlp.dropout
    }
    x = add(x, y) as mlp.residual
  }
  yield x
}

block decoder_layer(x: Tensor, l: Layer, norm: String, load: Any = 1, drop: Bool = false) {
  if l.norms == "shared" or l.norms == "apart" {
    y = _beside(x, l, norm, load, drop)
  } else {
    y = _after_each_other(x, l, norm, load, drop)
  }
  yield y
}

block _step(x: Tensor, s: Step, norm: String) {
  if s.kind == "norm" {
    y = _norm(x, norm)
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

block _steps(x: Tensor, steps: List[Step], norm: String) {
  repeat len(steps) as step {
    x = _step(x, steps[step], norm)
  }
  yield x
}

block _patches(t: Tower, samples: Int) {
  pixels = images(samples, [t.patches, t.patch]) as images
  v = linear(pixels, out: t.hidden, bias: t.patch_bias) as patch_embed
  if t.class_token {
    v = class_token(v) as class_token
  }
  if t.positions > 0 {
    v = position_embedding(v, t.positions) as position
  }
  if t.pre_norm {
    v = _norm(v, t.norm) as pre_norm
  }
  yield v
}

// What the layers gave, as words.
block _words_of(v: Tensor, t: Tower) {
  if t.post_norm {
    v = _norm(v, t.norm) as post_norm
  }
  if t.class_token {
    v = without_first(v) as patches
  }
  yield _steps(v, t.steps, t.norm) as project
}

// Words of a record that its blocks know; a block takes another for its last case.
fn _is(word: String, words: List) -> Bool = any([w == word for w in words])
fn _mixes(l: Layer) -> Bool = _is(l.mixer.kind, ["attention", "latent", "state_space", "delta", "conv", "none"]) and _is(
  l.mixer.norm,
  ["head", "across", "bare", "none"],
)
fn _acts(m: Mlp) -> Bool = if m.kind == "dense" and not m.gated then _is(m.activation, ["gelu", "relu", "relu2"]) else if m.kind ==
  "dense" or m.kind == "experts" then _is(m.activation, ["silu", "gelu"]) else _is(m.kind, ["plain_experts", "none"])
fn _normed(l: Layer) -> Bool = if _is(l.norms, ["shared", "apart"]) then l.mixer.kind != "none" and _is(
  l.mlp.kind,
  ["dense", "experts"],
) else _is(l.norms, ["before", "after", "around"])

// Which of the layers with experts the n-th is.
fn _sparse(layers: List[Layer]) -> Int = len([1 for l in layers if l.mlp.kind == "experts" or l.mlp.kind == "plain_experts"])
fn _nth(layers: List[Layer], n: Int) -> Int = _sparse([layers[k] for k in 0..n])

// Modules that predict further words come last, as in std.models.deepseek.
model decoder(d: Decoder) {
  require len(d.layers) >= 1 and min(d.hidden, d.vocab, d.seq) >= 1, "counts and widths are 1 or more"
  require loads_fit(d.load, _sparse(d.layers) + _sparse(d.mtp)),
    "where layers have loads of their own, there is one for each with experts, those of `mtp` last"
  let all_layers = d.layers + d.mtp + [l for t in d.towers for l in t.layers]
  require all([_mixes(l) for l in all_layers]),
    "what mixes words is attention, latent, state_space, delta, conv or none; its `norm` is head, across, bare or none"
  require all([_acts(l.mlp) for l in all_layers]),
    "an MLP is dense, experts, plain_experts or none; its `activation` is silu or gelu with a gate, gelu, relu or relu2 without"
  require all([_normed(l) for l in all_layers]),
    "`norms` of a layer are before, after or around; or shared or apart, where it has attention and an MLP or experts with a gate"
  require _is(d.norm, ["rms", "layer", "bare"]), "`norm` is rms, layer or bare"
  require all([_is(t.norm, ["rms", "layer", "bare"]) for t in d.towers]), "`norm` of a tower is rms, layer or bare"
  require all([_is(s.kind, ["norm", "rmsnorm", "linear", "gelu", "merge", "pool"]) for t in d.towers for s in t.steps + t.deep_steps]),
    "a step of a tower is norm, rmsnorm, linear, gelu, merge or pool"
  require len(d.towers) <= 1, "there is one tower, or none"
  let unknown = d.unknown
  expect unknown == [], "keys of the configuration are not known here, and passed over"
  ids = input([batch, d.seq], int64)
  words = embedding(ids, d.vocab, d.embed_width) as embed
  x = words
  if len(d.towers) > 0 {
    v = _patches(d.towers[0], batch * d.pictures) as pictures
    repeat len(d.towers[0].layers) as picture {
      v = decoder_layer(v, d.towers[0].layers[picture], d.towers[0].norm)
      if any([k == picture for k in d.towers[0].deep]) {
        q = _steps(v, d.towers[0].deep_steps, d.towers[0].norm) as deep
        x = placed(x, q, added: true) as deep_placed
      }
    }
    p = _words_of(v, d.towers[0]) as pictures
    x = placed(x, p) as placed
  }
  if d.embed_width != d.hidden {
    x = linear(x, out: d.hidden) as embed_in
  }
  if d.positions > 0 {
    x = position_embedding(x, d.positions) as position
  }
  if d.embed_dropout > 0 {
    x = dropout(x) as embed_dropout
  }
  if d.embed_norm {
    x = _norm(x, d.norm) as embed_norm
  }
  repeat len(d.layers) as layer {
    x = decoder_layer(x, d.layers[layer], d.norm, load_at(d.load, _nth(d.layers, layer)), d.dropout > 0)
  }
  n = x
  if d.final_norm {
    n = _norm(x, d.norm) as final_norm
  }
  if d.embed_width != d.hidden {
    n = linear(n, out: d.embed_width) as embed_out
  }
  if d.head_dense {
    h = linear(n, out: d.hidden, bias: true) as head_dense
    g = gelu(h) as head_act
    n = _norm(g, d.norm) as head_norm
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
    x = decoder_layer(p, d.mtp[mtp], d.norm, load_at(d.load, _sparse(d.layers) + _nth(d.mtp, mtp)), d.dropout > 0)
    n = _norm(x, d.norm) as final_norm
    logits = linear(n, out: d.vocab, tied: true, table: if d.tied then "embed" else "head") as head
    loss = cross_entropy(logits) as loss
  }
}
