// Layers of transformers of any kind: a record says of each how it mixes words and what its MLP is.
// Labels are those of std.models.llama, and so are the ops where a layer is of Llama's kind.
import std.ops.nn, std.ops.tiled, std.ops.moe, std.ops.mamba, std.ops.delta, std.ops.latent, std.ops.streams, std.ops.compressed,
  std.models.zamba, std.models.deepseek (latent_attention), std.models.nemotron (plain_experts)
export import std.ops.routing

// What mixes words. `norm`: of queries and keys: "head", "across" all heads, "bare" (without weights) or
// "none"; `window`: of so many keys; `share`: of a head has a position; `gated`: what attention gives is
// weighted by a product of its own, an element or (`gate_heads`) a head at a time; `q_rank` to `v_dim`: latent attention, as in std.models.deepseek;
// `index_heads`, of `index_dim`: what chooses the words that a query sees (std.ops.latent);
// `inner` to `conv_bias`: a state space, as in std.ops.mamba; `heads` of values and `kv_heads` of queries and
// keys of a delta network, of widths `v_dim` and `head_dim` (std.ops.delta). Mamba's first release ("selective"): time
// steps come out of `rank` numbers; `scan_norm`: of these and its matrices. `biased`: the share of queries, keys
// and values that has a bias. `rate` to `o_rank`, `rope`, `q_rank`, `window` and `index_heads`, `index_dim`, `top`: compressed attention. `beside`: others that take the same words, whose outcomes are added.
record Mixer {
  kind: String = "attention" // or "latent", "state_space", "selective", "delta", "kda", "lightning", "compressed", "conv", "none"
  heads: Int = 1
  kv_heads: Int = heads
  head_dim: Int = 1
  bias: Bool = false
  biased: Real = 1
  out_bias: Bool = false
  norm: String = "none"
  window: Int = 0
  chunk_of: Int = 0 // words see those before them in chunks of so many
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
  top: Int = 0
  inner: Int = 1
  groups: Int = 1
  state: Int = 1
  taps: Int = 4
  chunk: Int = 128
  conv_bias: Bool = false
  rank: Int = 1
  scan_norm: Bool = true
  causal: Bool = true // of attention; where not, a window is a group of words that see each other
  same: Bool = false // keys are the values
  borrows: Bool = false // keys and values are those of an earlier layer
  value_dim: Int = 0 // of attention whose values have another width than its keys
  rate: Int = 0 // words of a compressed key; 0: none are
  o_groups: Int = 1
  o_rank: Int = 1
  beside: List[Mixer] = []
}

// The MLP. `activation`: "silu", "gelu", "relu", "relu2" (squared) or "xielu" (Apertus); `gated`: by a second product of
// the same width. `shared_gate`, `biased`, `corrected`, `met`: see the block `experts` of std.ops.moe.
record Mlp {
  kind: String = "dense" // or "experts", "plain_experts" (no gate, squared ReLU), "none"
  ffn: Int = 1
  activation: String = "silu"
  gated: Bool = true
  bias: Bool = false
  dropped: Bool = false // of a dense one, what the activation gives has dropout
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

// `norms`: "before" each half, "after" each (before the sum), "around" both, or of each "sum"; halves that take the
// same word: one norm for both ("shared"), or a norm each ("apart"). `scaled`: what a half gives has learned factors.
// `cross`: attention to the words of an encoder, between the halves. `first`: a layer of Zamba (std.models.zamba) goes
// before what mixes words.
record Layer {
  mixer: Mixer
  mlp: Mlp
  norms: String = "before"
  scaled: Bool = false
  wide: Bool = false // its sums are in fp32; it has no MLP
  cross: List[Mixer] = []
  first: List[Shared] = []
}

block norm_of(x: Tensor, kind: String) {
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

block _borrowing(x: Tensor, m: Mixer) {
  q = linear(x, out: m.heads * m.head_dim, bias: m.bias) as q
  if m.norm != "none" {
    q = part_norm(q, m.head_dim) as q_norm
  }
  if m.rotary {
    q = latent_rotary(q, width: m.head_dim, rope: round(m.share * m.head_dim)) as rotary
  }
  a = borrowing_attention(q, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, window: m.window) as core
  yield linear(a, out: last(x.shape), bias: m.out_bias) as proj
}

block _seen_by(qkv: Tensor, m: Mixer) {
  if m.causal {
    a = attention(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, window: m.window, sinks: m.sinks) as core
  } else {
    if m.window > 0 and m.window < qkv.shape[1] {
      w = grouped(qkv, m.window) as windows
      b = attention(w, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, causal: false) as core
      a = grouped(b, qkv.shape[1]) as whole
    } else {
      a = attention(qkv, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, causal: false) as core
    }
  }
  yield a
}

block _attention(x: Tensor, m: Mixer) {
  qkv = linear(x, out: (m.heads + (if m.same then 1 else 2) * m.kv_heads) * m.head_dim, bias: m.bias, biased: m.biased) as qkv
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
  if m.causal and m.chunk_of > 0 and m.chunk_of < x.shape[1] {
    c = grouped(qkv, m.chunk_of) as chunks
    b = attention(c, heads: m.heads, kv_heads: m.kv_heads, head_dim: m.head_dim, sinks: m.sinks) as core
    a = grouped(b, x.shape[1]) as whole
  } else {
    a = _seen_by(qkv, m)
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

// Mamba's first release. Where it has heads, the product that chooses is of each by itself: as many weights and as much
// work in all as of one.
block _selective(x: Tensor, m: Mixer) {
  p = linear(x, out: 2 * m.inner, bias: m.bias) as up
  parts = cut(p, m.inner) as parts
  c = short_conv(parts[0], taps: m.taps, biased: m.conv_bias) as conv
  s = linear(c, out: m.rank + 2 * m.state) as select
  if m.norm != "none" {
    s = norm_of(s, if m.norm == "bare" then "bare" else "rms") as select_norm
  }
  chosen = cut(s, m.rank) as chosen
  t = linear(chosen[0], out: m.inner, bias: true) as steps
  o = selective_scan(c, t, chosen[1], parts[1]) as scan
  yield linear(o, out: last(x.shape), bias: m.out_bias) as down
}

// A product in two of `rank` numbers, or (0) whole.
block _product(x: Tensor, out: Int, rank: Int) {
  d = x
  if rank > 0 {
    d = linear(x, out: rank) as down
  }
  yield linear(d, out: out) as up
}

// Kimi Delta Attention: the decay and the gate out of `rank` numbers.
block _kda(x: Tensor, m: Mixer) {
  let width = m.heads * m.head_dim
  qkv = linear(x, out: 3 * width) as qkv
  c = short_conv(qkv, taps: m.taps) as conv
  f = _product(x, width, m.rank) as decay
  b = linear(x, out: m.heads) as written
  g = _product(x, width, m.rank) as gate
  o = kda_scan(c, f, b, g, head_dim: m.head_dim, heads: m.heads) as scan
  yield linear(o, out: last(x.shape)) as proj
}

// DeepSeek-V4's: words near by, and compressed ones before them.
block _compressed(x: Tensor, m: Mixer) {
  qd = linear(x, out: m.q_rank) as query.compress
  qn = rmsnorm(qd) as query.norm
  qu = linear(qn, out: m.heads * m.head_dim) as query.up
  qh = bare_norm(qu) as query.heads
  q = latent_rotary(qh, width: m.head_dim, rope: m.rope) as query.rotary
  k = linear(x, out: m.head_dim) as keys.product
  kn = rmsnorm(k) as keys.norm
  kv = latent_rotary(kn, width: m.head_dim, rope: m.rope) as keys.rotary
  c = kv
  if m.rate > 0 {
    let width = if m.index_heads > 0 then 2 * m.head_dim else m.head_dim
    if m.index_heads > 0 {
      x = compressed_index(x, q_rank: m.q_rank, heads: m.index_heads, head_dim: m.index_dim, rate: m.rate) as index
    }
    ck = linear(x, out: width) as compressed.product
    cg = linear(x, out: width) as compressed.gate
    c = compress(ck, cg, rate: m.rate, head_dim: m.head_dim) as compressed.keys
  }
  a = compressed_attention(q, kv, c, head_dim: m.head_dim, window: m.window, rate: m.rate, top: m.top) as core
  r = latent_rotary(a, width: m.head_dim, rope: m.rope) as turned_back
  o = grouped_linear(r, groups: m.o_groups, out: m.o_rank) as out.groups
  yield linear(o, out: last(x.shape)) as out.proj
}

block _lightning(x: Tensor, m: Mixer) {
  qkv = linear(x, out: 3 * m.heads * m.head_dim) as qkv
  o = lightning_scan(qkv, heads: m.heads, head_dim: m.head_dim, chunk: m.chunk) as scan
  n = rmsnorm(o) as norm
  g = linear(x, out: m.heads * m.head_dim) as gate.up
  y = gated_silu(g, n) as gate.act
  yield linear(y, out: last(x.shape)) as proj
}

// Queries of x over keys and values of an encoder's words.
block _cross(x: Tensor, memory: Tensor, m: Mixer) {
  q = linear(x, out: m.heads * m.head_dim, bias: m.bias) as q
  kv = linear(memory, out: 2 * m.kv_heads * m.head_dim, bias: m.bias, biased: m.biased) as kv
  a = query_attention(q, kv, head_dim: m.head_dim) as core
  yield linear(a, out: last(x.shape), bias: m.out_bias) as proj
}

block mix_words(x: Tensor, m: Mixer) {
  y = _mix_one(x, m)
  repeat len(m.beside) as beside {
    z = _mix_one(x, m.beside[beside])
    y = add(y, z) as sum
  }
  yield y
}

block _mix_one(x: Tensor, m: Mixer) {
  if m.kind == "latent" {
    if m.index_heads > 0 {
      x = latent_index(x, q_rank: m.q_rank, heads: m.index_heads, head_dim: m.index_dim) as index
    }
    y = latent_attention(
      x,
      m.heads,
      m.q_rank,
      m.kv_rank,
      m.nope,
      m.rope,
      m.v_dim,
      turned: m.rotary,
      gate: if m.gated then m.heads else 0,
      window: m.window,
    )
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
          y = _other_mix(x, m)
        }
      }
    }
  }
  yield y
}

block _other_mix(x: Tensor, m: Mixer) {
  if m.kind == "selective" {
    y = _selective(x, m)
  } else {
    if m.kind == "kda" {
      y = _kda(x, m)
    } else {
      if m.kind == "lightning" {
        y = _lightning(x, m)
      } else {
        y = _last_mix(x, m)
      }
    }
  }
  yield y
}

block _last_mix(x: Tensor, m: Mixer) {
  if m.kind == "compressed" {
    y = _compressed(x, m)
  } else {
    if m.value_dim > 0 {
      y = _uneven_attention(x, m)
    } else {
      if m.borrows {
        y = _borrowing(x, m)
      } else {
        y = _attention(x, m)
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
        if m.activation == "xielu" {
          g = xielu(u) as act
        } else {
          g = gelu(u) as act
        }
      }
    }
  }
  if m.dropped {
    g = dropout(g) as act_dropout
  }
  yield linear(g, out: last(x.shape), bias: m.bias) as down
}

block mlp_half(x: Tensor, m: Mlp, load: Any) {
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
  dn = norm_of(d, norm) as mlp.after
  r = norm_of(x, norm) as moe.router
  e = norm_of(r, norm) as moe.before
  y = mlp_half(e, m, load)
  yn = norm_of(y, norm) as moe.after
  yield add(dn, yn) as moe.sum
}

block _beside(x: Tensor, l: Layer, norm: String, load: Any, drop: Bool) {
  n = norm_of(x, norm) as ln1
  m = n
  if l.norms == "apart" {
    m = norm_of(x, norm) as ln2
  }
  a = mix_words(n, l.mixer) as attn
  y = mlp_half(m, l.mlp, load)
  s = add(a, y) as mlp.sum
  if drop {
    s = dropout(s) as mlp.dropout
  }
  yield add(x, s) as mlp.residual
}

// The norm of a sum, in the place of one before the next half.
block _after_sum(x: Tensor, l: Layer, norm: String) {
  if l.norms == "sum" {
    x = norm_of(x, norm)
  }
  yield x
}

block _after_each_other(x: Tensor, memory: Tensor, l: Layer, norm: String, load: Any, drop: Bool) {
  let before = l.norms == "before" or l.norms == "around"
  let after = l.norms == "after" or l.norms == "around"
  if l.mixer.kind != "none" {
    n = x
    if len(l.first) > 0 {
      n = shared_layer(x, memory, l.first[0]) as shared
    }
    if l.wide {
      n = in_format_of(n, memory) as narrow
    }
    if before {
      n = norm_of(n, norm) as ln1
    }
    a = mix_words(n, l.mixer) as attn
    if after {
      a = norm_of(a, norm) as attn.norm
    }
    if l.scaled {
      a = layer_scale(a) as attn.scale
    }
    if drop {
      a = dropout(a) as attn.dropout
    }
    r = add(x, a, wide: l.wide) as attn.residual
    x = _after_sum(r, l, norm) as ln1
  }
  if len(l.cross) > 0 {
    n = x
    if before {
      n = norm_of(x, norm) as ln
    }
    a = _cross(n, memory, l.cross[0]) as cross
    if after {
      a = norm_of(a, norm) as cross.norm
    }
    if l.scaled {
      a = layer_scale(a) as cross.scale
    }
    if drop {
      a = dropout(a) as cross.dropout
    }
    r = add(x, a, wide: l.wide) as cross.residual
    x = _after_sum(r, l, norm) as ln
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
      n = norm_of(x, norm) as ln2
    }
    if l.mlp.beside > 0 {
      y = _both(x, n, l.mlp, norm, load)
    } else {
      y = mlp_half(n, l.mlp, load)
    }
    if after {
      y = norm_of(y, norm) as mlp.norm
    }
    if l.scaled {
      y = layer_scale(y) as mlp.scale
    }
    if drop {
      y = dropout(y) as mlp.dropout
    }
    r = add(x, y, wide: l.wide) as mlp.residual
    x = _after_sum(r, l, norm) as ln2
  }
  yield x
}

// `memory`: words of an encoder, or those that a decoder begins with.
block decoder_layer(x: Tensor, memory: Tensor, l: Layer, norm: String, load: Any = 1, drop: Bool = false) {
  if l.norms == "shared" or l.norms == "apart" {
    y = _beside(x, l, norm, load, drop)
  } else {
    y = _after_each_other(x, memory, l, norm, load, drop)
  }
  yield y
}

// Words of a record that its blocks know; a block takes another for its last case.
fn is_one_of(word: String, words: List) -> Bool = any([w == word for w in words])
fn _mixes(m: Mixer) -> Bool = is_one_of(
  m.kind,
  ["attention", "latent", "state_space", "selective", "delta", "kda", "lightning", "compressed", "conv", "none"],
) and is_one_of(
  m.norm,
  ["head", "across", "bare", "none"],
)
fn layer_mixes(l: Layer) -> Bool = all([_mixes(m) for m in [l.mixer] + l.mixer.beside]) and all([m.kind == "attention" for m in l.cross])
fn layer_acts(m: Mlp) -> Bool = if m.kind == "dense" and not m.gated then is_one_of(
  m.activation,
  ["gelu", "relu", "relu2", "xielu"],
) else if m.kind == "dense" or m.kind == "experts" then is_one_of(m.activation, ["silu", "gelu"])
  else is_one_of(m.kind, ["plain_experts", "none"])
fn layer_normed(l: Layer) -> Bool = if is_one_of(l.norms, ["shared", "apart"]) then l.mixer.kind != "none" and is_one_of(
  l.mlp.kind,
  ["dense", "experts"],
) else is_one_of(l.norms, ["before", "after", "around", "sum"])

// A layer of words in streams: hyper-connections (std.ops.compressed) in the place of sums.
block hyper_layer(x: Tensor, l: Layer, streams: Int, norm: String, load: Any) {
  c = collapse_streams(x, streams: streams) as attn.collapse
  n = norm_of(c, norm) as ln1
  a = mix_words(n, l.mixer) as attn
  x = spread_streams(x, a) as attn.spread
  d = collapse_streams(x, streams: streams) as mlp.collapse
  n2 = norm_of(d, norm) as ln2
  y = mlp_half(n2, l.mlp, load)
  yield spread_streams(x, y) as mlp.spread
}
