// What each `model_type` of Hugging Face's transformers is, in the terms of std.models.decoder, and
// what its configuration class has where a file says nothing: decoders without experts, and what all
// read alike.
import std.models.decoder, std.import.hf_keys

// -- what all read alike --
fn _hidden(c: Record) -> Int = hf_get(c, "hidden_size")
fn hf_layers(c: Record) -> Int = hf_get(c, "num_hidden_layers")
fn hf_heads(c: Record) -> Int = hf_get(c, "num_attention_heads")
fn _words(c: Record) -> Int = hf_any(c, "max_position_embeddings n_positions max_seq_len seq_length model_max_length", 4096)
fn hf_seq(c: Record) -> Int = hf_asked(c, min(4096, _words(c)))
fn _kv_heads(c: Record) -> Int = hf_or(c, "num_key_value_heads", hf_heads(c))
fn hf_head_dim(c: Record) -> Int = hf_or(c, "head_dim", div(_hidden(c), hf_heads(c)))
fn _tied(c: Record) -> Bool = hf_or(c, "tie_word_embeddings", true)
fn hf_flag(c: Record, key: String) -> Bool = hf_or(c, key, false)

// The scaling of positions: `rope_parameters` since release 5, `rope_scaling` before. A record for
// each kind of layer may stand in it.
fn _rope(c: Record) -> Record = hf_any(c, "rope_parameters rope_scaling", {})
fn _rope_of(c: Record, kind: String) -> Record = field(_rope(c), kind, _rope(c))
fn _is_scaled(c: Record, kind: String) -> Bool = _scaled(field(_rope_of(c, kind), "rope_type", field(_rope_of(c, kind), "type", "default")))
fn _scaled(type: String) -> Bool = if hf_is(type, "yarn longrope su") then true
  else if hf_is(type, "default linear dynamic llama3 proportional mrope") then false
  else refuse("`rope_type`: `" + type + "` is not followed: known are default linear dynamic llama3 proportional mrope yarn longrope")
fn _share(c: Record, kind: String) -> Real = field(
  _rope_of(c, kind),
  "partial_rotary_factor",
  hf_any(c, "partial_rotary_factor rotary_pct", 1),
)

// Layers see a window by `layer_types`; where a file has none, by the rule of the type: `full` says
// whether the n-th layer sees all.
fn _kinds(c: Record, full: List[Bool]) -> List[String] = hf_or(
  c,
  "layer_types",
  [if f then "full_attention" else "sliding_attention" for f in full],
)
fn hf_all(c: Record, value: Bool) -> List[Bool] = [value for i in 0..hf_layers(c)]
fn hf_each(c: Record, nth: Int) -> List[Bool] = [i % nth == nth - 1 for i in 0..hf_layers(c)]
fn _window(c: Record, kind: String) -> Int = match kind {
  "sliding_attention" -> hf_or(c, "sliding_window", 0)
  "full_attention" -> 0
  "chunked_attention" -> 0
  _ -> refuse("`layer_types` has `" + kind + "`, which is not followed: known are full_attention sliding_attention chunked_attention")
}
fn _chunk(chunk: Int, seq: Int) -> Int = if chunk == 0 or seq <= chunk then 0 else if seq % chunk == 0 then chunk else refuse(
  "`attention_chunk_size`: a sample of whole chunks is followed: state a `seq` that is a multiple of " + str(chunk),
)
// What `key` says of each layer.
fn hf_counted(c: Record, kinds: List, key: String = "layer_types") -> List = if len(kinds) == hf_layers(c) then kinds else refuse(
  "`" + key + "` has " + str(len(kinds)) + " layers, `num_hidden_layers` is " + str(hf_layers(c)),
)

fn hf_attention(c: Record, kind: String, bias: Bool, out_bias: Bool, norm: String = "none", rotary: Bool = true) -> Mixer = {
  heads: hf_heads(c),
  kv_heads: _kv_heads(c),
  head_dim: hf_head_dim(c),
  bias: bias,
  out_bias: out_bias,
  norm: norm,
  window: _window(c, kind),
  chunk_of: if kind == "chunked_attention" then _chunk(hf_or(c, "attention_chunk_size", 0), hf_seq(c)) else 0,
  rotary: rotary,
  share: _share(c, kind),
  scaled: _is_scaled(c, kind),
}

fn hf_activation(c: Record, gated: Bool) -> String = _activation_of(
  hf_any(c, "hidden_act hidden_activation activation_function activation afn", "silu"),
  gated,
)
fn _activation_of(name: String, gated: Bool) -> String = if hf_is(name, "silu swish") and gated then "silu"
  else if hf_is(name, "gelu gelu_new gelu_fast gelu_pytorch_tanh gelu_python quick_gelu gelu_10") then "gelu" else if name == "relu2" and
  not gated then "relu2" else if hf_is(name, "relu xielu") and not gated then name
  else refuse("`hidden_act`: `" + name + "` has no op here: known are silu and gelu with a gate, gelu, relu, relu2 and xielu without")
fn hf_dense(c: Record, bias: Bool = false, gated: Bool = true) -> Mlp = {
  ffn: hf_get(c, "intermediate_size"),
  activation: hf_activation(c, gated),
  gated: gated,
  bias: bias,
}

fn hf_model(c: Record, layers: List[Layer]) -> Decoder = {
  layers: layers,
  hidden: _hidden(c),
  vocab: hf_get(c, "vocab_size"),
  seq: hf_seq(c),
  tied: _tied(c),
}
// The same MLP and the same norms in every layer.
fn hf_alike(c: Record, mixers: List[Mixer], mlp: Mlp, norms: String = "before") -> Decoder = hf_model(
  c,
  [{ mixer: m, mlp: mlp, norms: norms } for m in mixers],
)
fn hf_mixers(
  c: Record,
  full: List[Bool],
  bias: Bool,
  out_bias: Bool,
  norm: String = "none",
) -> List[Mixer] = [hf_attention(c, kind, bias, out_bias, norm) for kind in hf_counted(c, _kinds(c, full))]
fn hf_always(c: Record) -> List[Bool] = hf_all(c, true)

// -- dense decoders --
fn hf_biased(c: Record) -> Bool = hf_flag(c, "attention_bias")
fn _llama(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c)), hf_dense(c, hf_flag(c, "mlp_bias")))
// A window in every layer, if there is one.
fn _mistral(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_all(c, hf_raw(c, "sliding_window") == none), false, false), hf_dense(c))
// Layers from `max_window_layers` on see a window, where it is used at all.
fn hf_late_windows(c: Record) -> List[Bool] = [
  not hf_flag(c, "use_sliding_window") or i < hf_or(c, "max_window_layers", 28) for i in 0..hf_layers(c)
]
fn _qwen2(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_late_windows(c), true, false), hf_dense(c))
fn _mimo(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_late_windows(c), hf_biased(c), false), hf_dense(c))
fn _qwen3(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_late_windows(c), hf_biased(c), hf_biased(c), "head"), hf_dense(c))
fn _gemma(c: Record) -> Decoder = _llama(c)
fn _gemma2(c: Record) -> Decoder = _soft(c, hf_alike(c, hf_mixers(c, hf_each(c, 2), hf_biased(c), hf_biased(c)), hf_dense(c), "around"))
fn _gemma3(c: Record) -> Decoder = _soft(
  c,
  hf_alike(
    c,
    hf_mixers(c, hf_each(c, hf_any(c, "sliding_window_pattern _sliding_window_pattern", 6)), hf_biased(c), hf_biased(c), "head"),
    hf_dense(c),
    "around",
  ),
)
fn _soft(c: Record, d: Decoder) -> Decoder = d with { soft_cap = hf_or(c, "final_logit_softcapping", 0) != 0 }
fn _phi(c: Record) -> Decoder = if hf_flag(c, "qk_layernorm") then refuse(
  "`qk_layernorm`: norms with biases inside of heads have no op here: write false",
) else _dropped(
  c,
  hf_alike(c, hf_mixers(c, hf_always(c), true, true), hf_dense(c, true, false), "shared") with { norm = "layer", head_bias = true },
)
fn _phi3(c: Record) -> Decoder = _dropped(c, _mistral(c))
fn _olmo(c: Record) -> Decoder = _llama(c) with { norm = "bare" }
fn _olmo2(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, if hf_raw(c, "sliding_window") == none then hf_always(c) else hf_each(c, 4), hf_biased(c), hf_biased(c), "across"),
  hf_dense(c),
  "after",
)
fn _exaone4(c: Record) -> Decoder = hf_alike(
  c,
  [
    hf_attention(c, kind, false, false, "head", hf_raw(c, "sliding_window") == none or kind == "sliding_attention") for kind in hf_counted(
      c,
      _kinds(c, if hf_raw(c, "sliding_window") == none then hf_always(c) else hf_each(c, hf_get(c, "sliding_window_pattern"))),
    )
  ],
  hf_dense(c),
  "after",
)
fn _neox(c: Record) -> Decoder = _dropped(
  c,
  hf_alike(
    c,
    hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c)),
    hf_dense(c, true, false),
    if hf_flag(c, "use_parallel_residual") then "apart" else "before",
  ) with { norm = "layer" },
)
fn _falcon(c: Record) -> Decoder = _dropped(c, hf_alike(c, _falcon_mixers(c), _falcon_mlp(c), _falcon_norms(c)) with { norm = "layer" })
fn _falcon_kv(c: Record) -> Int = if hf_flag(c, "new_decoder_architecture") then hf_any(
  c,
  "num_kv_heads n_head_kv",
  hf_heads(c),
) else if hf_flag(c, "multi_query") then 1 else hf_heads(c)
fn _falcon_mixers(c: Record) -> List[Mixer] = [
  m with { kv_heads = _falcon_kv(c), rotary = not hf_flag(c, "alibi") }
    for m in hf_mixers(c, hf_always(c), hf_flag(c, "bias"), hf_flag(c, "bias"))
]
fn _falcon_mlp(c: Record) -> Mlp = {
  ffn: hf_or(c, "ffn_hidden_size", 4 * _hidden(c)),
  activation: hf_activation(c, false),
  gated: false,
  bias: hf_flag(c, "bias"),
}
fn _falcon_norms(c: Record) -> String = if hf_flag(
  c,
  "new_decoder_architecture",
) then (if hf_or(c, "num_ln_in_parallel_attn", 2) == 2 then "apart" else "shared") else if hf_flag(c, "parallel_attn") then "shared"
  else "before"
fn _stablelm(c: Record) -> Decoder = _dropped(
  c,
  hf_alike(
    c,
    hf_mixers(c, hf_always(c), hf_flag(c, "use_qkv_bias"), false, if hf_flag(c, "qk_layernorm") then "across" else "none"),
    hf_dense(c),
    if hf_flag(c, "use_parallel_residual") then "shared" else "before",
  ) with { norm = "layer" },
)
fn _starcoder2(c: Record) -> Decoder = _dropped(
  c,
  hf_alike(
    c,
    hf_mixers(c, hf_all(c, hf_raw(c, "sliding_window") == none), hf_flag(c, "use_bias"), hf_flag(c, "use_bias")),
    hf_dense(c, hf_flag(c, "use_bias"), false),
  ) with {
    norm = "layer"
  },
)
// Its norms have a weight and no bias: one of RMS counts the same.
fn _cohere(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), if hf_flag(c, "use_qk_norm") then "across" else "none"),
  hf_dense(c),
  "shared",
)
fn _cohere2(c: Record) -> Decoder = hf_alike(
  c,
  [
    hf_attention(c, kind, hf_biased(c), hf_biased(c), "none", kind == "sliding_attention")
      for kind in hf_counted(c, _kinds(c, hf_each(c, hf_or(c, "sliding_window_pattern", 4))))
  ],
  hf_dense(c),
  "shared",
)
fn _glm(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_always(c), hf_biased(c), false), hf_dense(c))
fn _glm4(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_always(c), hf_biased(c), false), hf_dense(c), "around")
fn _nemotron(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c)),
  hf_dense(c, hf_flag(c, "mlp_bias"), false),
) with { norm = "layer" }
// Layers without positions: those that `no_rope_layers` has 0 for, else each `no_rope_layer_interval`-th.
fn hf_turned(c: Record) -> List = _turned(c, hf_or(c, "no_rope_layers", []))
fn _turned(c: Record, stated: List) -> List = if stated != [] then hf_counted(c, stated, "no_rope_layers")
  else [if f then 0 else 1 for f in hf_each(c, hf_or(c, "no_rope_layer_interval", 4))]
fn _smollm3(c: Record) -> Decoder = hf_alike(
  c,
  [
    m[0] with { rotary = m[1] != 0 } for m in zip(hf_mixers(c, hf_late_windows(c), hf_biased(c), hf_biased(c)), hf_turned(c))
  ],
  hf_dense(c, hf_flag(c, "mlp_bias")),
)
fn _seed(c: Record) -> Decoder = _dropped(
  c,
  hf_alike(c, hf_mixers(c, hf_always(c), hf_biased(c), hf_flag(c, "attention_out_bias")), hf_dense(c, hf_flag(c, "mlp_bias"))),
)
fn _ernie(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_flag(c, "use_bias"), hf_flag(c, "use_bias")),
  hf_dense(c, hf_flag(c, "use_bias")),
)

// Layers of their own sizes, found by a search (Nemotron-NAS): a half may be left out.
fn _nas(c: Record) -> Decoder = hf_model(
  c,
  [{ mixer: _nas_mixer(c, b.attention), mlp: _nas_mlp(c, b.ffn) } for b in hf_counted(c, hf_get(c, "block_configs"), "block_configs")],
)
fn _kept(b: Record, half: String) -> Bool = if field(b, "replace_with_linear", false) then refuse(
  "`block_configs`: a half that is one product (`replace_with_linear`) is not followed",
) else if hf_other(field(b, "sparsify", none), none) != none or hf_other(field(b, "window_length", none), none) != none or
  hf_other(field(b, "num_sink_tokens", none), none) != none then refuse(
  "`block_configs`: " + half + " that is sparse, or sees a window, is not followed",
) else not field(b, "no_op", false)
fn _nas_mixer(c: Record, b: Record) -> Mixer = if not _kept(b, "attention") then { kind: "none" }
  else hf_attention(c, "full_attention", hf_biased(c), hf_biased(c)) with { kv_heads = div(hf_heads(c), b.n_heads_in_group) }
// A width of 2/3 of the multiple, as with a gate, in whole 256.
fn _nas_mlp(c: Record, b: Record) -> Mlp = if not _kept(b, "an MLP") then { kind: "none" } else {
  ffn: 256 * ceil_div(floor(2.0 * b.ffn_mult * _hidden(c) / 3), 256),
  activation: hf_activation(c, true),
  bias: hf_flag(c, "mlp_bias"),
}

// Dropout of what each half adds, and of the embedded words.
fn _dropped(c: Record, d: Decoder) -> Decoder = d with {
  dropout = hf_any(c, "resid_pdrop hidden_dropout residual_dropout dropout", 0)
  embed_dropout = hf_any(c, "embd_pdrop embedding_dropout", 0)
}

// The first of OpenAI's kind: other names for the same.
fn _gpt2(c: Record) -> Decoder = _gpt2_of(
  c,
  {
    file: { hidden_size: hf_get(c, "n_embd"), num_attention_heads: hf_get(c, "n_head"), num_hidden_layers: hf_get(c, "n_layer") },
    default: {},
    seq: hf_seq(c),
  },
)
fn _gpt2_of(c: Record, sizes: Record) -> Decoder = {
  layers: [
    {
      mixer: hf_attention(sizes, "full_attention", true, true, "none", false),
      mlp: { ffn: hf_or(c, "n_inner", 4 * _hidden(sizes)), activation: hf_activation(c, false), gated: false, bias: true },
    } for i in 0..hf_layers(sizes)
  ],
  hidden: _hidden(sizes),
  vocab: hf_get(c, "vocab_size"),
  seq: hf_seq(c),
  norm: "layer",
  tied: _tied(c),
  positions: hf_get(c, "n_positions"),
  dropout: hf_or(c, "resid_pdrop", 0),
  embed_dropout: hf_or(c, "embd_pdrop", 0),
}
// Two rows of positions are never looked up.
fn _opt(c: Record) -> Decoder = _opt_of(
  c,
  if hf_flag(c, "do_layer_norm_before") then "before"
    else refuse("`do_layer_norm_before`: norms after each sum have no model here: write true"),
)
fn _opt_of(c: Record, norms: String) -> Decoder = _dropped(
  c,
  hf_alike(
    c,
    [m with { rotary = false } for m in hf_mixers(c, hf_always(c), true, true)],
    { ffn: hf_get(c, "ffn_dim"), activation: hf_activation(c, false), gated: false, bias: true },
    norms,
  ) with {
    norm = "layer"
    positions = hf_get(c, "max_position_embeddings") + 2
    embed_width = hf_or(c, "word_embed_proj_dim", _hidden(c))
    final_norm = not hf_flag(c, "_remove_final_layer_norm")
  },
)

let _olmo_sizes: Record = {
  vocab_size: 50304,
  hidden_size: 4096,
  intermediate_size: 11008,
  num_hidden_layers: 32,
  num_attention_heads: 32,
  max_position_embeddings: 2048,
  tie_word_embeddings: false,
}
let _glm_sizes: Record = {
  vocab_size: 151552,
  hidden_size: 4096,
  intermediate_size: 13696,
  num_hidden_layers: 40,
  num_attention_heads: 32,
  num_key_value_heads: 2,
  head_dim: 128,
  max_position_embeddings: 131072,
  tie_word_embeddings: false,
  attention_bias: true,
  partial_rotary_factor: 0.5,
}

// `reads`: keys that a type follows besides hf_common. `default`: of its class, of keys that are read.
let hf_dense_types: List[Record] = [
  {
    types: "llama granite",
    build: _llama,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
    },
  },
  {
    types: "mistral ministral",
    build: _mistral,
    reads: "",
    default: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      sliding_window: 4096,
    },
  },
  {
    types: "qwen2 qwen2_vl_text qwen2_5_vl_text",
    build: _qwen2,
    reads: "use_sliding_window max_window_layers",
    default: {
      vocab_size: 151936,
      hidden_size: 4096,
      intermediate_size: 22016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      sliding_window: 4096,
    },
  },
  {
    types: "mimo",
    build: _mimo,
    reads: "attention_bias use_sliding_window max_window_layers num_nextn_predict_layers",
    default: { attention_bias: true, tie_word_embeddings: false, sliding_window: 4096 },
  },
  {
    types: "qwen3 qwen3_vl_text",
    build: _qwen3,
    reads: "attention_bias use_sliding_window max_window_layers",
    default: {
      vocab_size: 151936,
      hidden_size: 4096,
      intermediate_size: 22016,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      head_dim: 128,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      sliding_window: 4096,
    },
  },
  {
    types: "gemma",
    build: _gemma,
    reads: "attention_bias hidden_activation",
    default: {
      vocab_size: 256000,
      hidden_size: 3072,
      intermediate_size: 24576,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
    },
  },
  {
    types: "gemma2",
    build: _gemma2,
    reads: "attention_bias hidden_activation final_logit_softcapping",
    default: {
      vocab_size: 256000,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      sliding_window: 4096,
      final_logit_softcapping: 30,
    },
  },
  {
    types: "gemma3_text",
    build: _gemma3,
    reads: "attention_bias hidden_activation final_logit_softcapping sliding_window_pattern _sliding_window_pattern",
    default: {
      vocab_size: 262208,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
      sliding_window: 4096,
    },
  },
  {
    types: "phi",
    build: _phi,
    reads: "resid_pdrop embd_pdrop rotary_pct qk_layernorm",
    default: {
      vocab_size: 51200,
      hidden_size: 2048,
      intermediate_size: 8192,
      num_hidden_layers: 24,
      num_attention_heads: 32,
      hidden_act: "gelu_new",
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.5,
    },
  },
  {
    types: "phi3",
    build: _phi3,
    reads: "resid_pdrop embd_pdrop",
    default: {
      vocab_size: 32064,
      hidden_size: 3072,
      intermediate_size: 8192,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
    },
  },
  {
    types: "olmo",
    build: _olmo,
    reads: "attention_bias",
    default: _olmo_sizes,
  },
  {
    types: "olmo2",
    build: _olmo2,
    reads: "attention_bias",
    default: _olmo_sizes,
  },
  {
    types: "olmo3",
    build: _olmo2,
    reads: "attention_bias",
    default: {
      vocab_size: 50304,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      sliding_window: 4096,
    },
  },
  {
    types: "exaone4",
    build: _exaone4,
    reads: "sliding_window_pattern",
    default: {
      vocab_size: 102400,
      hidden_size: 4096,
      intermediate_size: 16384,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      sliding_window: 4096,
      sliding_window_pattern: 4,
    },
  },
  {
    types: "gpt_neox",
    build: _neox,
    reads: "attention_bias use_parallel_residual hidden_dropout rotary_pct",
    default: {
      vocab_size: 50432,
      hidden_size: 6144,
      intermediate_size: 24576,
      num_hidden_layers: 44,
      num_attention_heads: 64,
      hidden_act: "gelu",
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      use_parallel_residual: true,
      attention_bias: true,
      rotary_pct: 0.25,
    },
  },
  {
    types: "falcon",
    build: _falcon,
    reads: "new_decoder_architecture multi_query parallel_attn bias alibi num_kv_heads n_head_kv num_ln_in_parallel_attn ffn_hidden_size hidden_dropout activation",
    default: {
      vocab_size: 65024,
      hidden_size: 4544,
      num_hidden_layers: 32,
      num_attention_heads: 71,
      activation: "gelu",
      max_position_embeddings: 2048,
      tie_word_embeddings: true,
      multi_query: true,
      parallel_attn: true,
    },
  },
  {
    types: "stablelm",
    build: _stablelm,
    reads: "use_qkv_bias qk_layernorm use_parallel_residual hidden_dropout",
    default: {
      vocab_size: 50304,
      hidden_size: 2560,
      intermediate_size: 6912,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.25,
    },
  },
  {
    types: "starcoder2",
    build: _starcoder2,
    reads: "use_bias residual_dropout embedding_dropout",
    default: {
      vocab_size: 49152,
      hidden_size: 3072,
      intermediate_size: 12288,
      num_hidden_layers: 30,
      num_attention_heads: 24,
      num_key_value_heads: 2,
      hidden_act: "gelu_pytorch_tanh",
      max_position_embeddings: 4096,
      tie_word_embeddings: true,
      use_bias: true,
    },
  },
  {
    types: "cohere",
    build: _cohere,
    reads: "attention_bias use_qk_norm",
    default: {
      vocab_size: 256000,
      hidden_size: 8192,
      intermediate_size: 22528,
      num_hidden_layers: 40,
      num_attention_heads: 64,
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
    },
  },
  {
    types: "cohere2",
    build: _cohere2,
    reads: "attention_bias sliding_window_pattern",
    default: {
      vocab_size: 256000,
      hidden_size: 8192,
      intermediate_size: 22528,
      num_hidden_layers: 40,
      num_attention_heads: 64,
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      sliding_window: 4096,
    },
  },
  {
    types: "glm",
    build: _glm,
    reads: "attention_bias",
    default: _glm_sizes,
  },
  {
    types: "glm4",
    build: _glm4,
    reads: "attention_bias",
    default: _glm_sizes,
  },
  {
    types: "nemotron",
    build: _nemotron,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 256000,
      hidden_size: 6144,
      intermediate_size: 24576,
      num_hidden_layers: 32,
      num_attention_heads: 48,
      hidden_act: "relu2",
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.5,
    },
  },
  {
    types: "smollm3",
    build: _smollm3,
    reads: "attention_bias mlp_bias no_rope_layers no_rope_layer_interval use_sliding_window max_window_layers",
    default: {
      vocab_size: 128256,
      hidden_size: 2048,
      intermediate_size: 11008,
      num_hidden_layers: 36,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      max_position_embeddings: 32768,
      tie_word_embeddings: true,
    },
  },
  {
    types: "seed_oss",
    build: _seed,
    reads: "attention_bias attention_out_bias mlp_bias residual_dropout",
    default: {
      vocab_size: 155136,
      hidden_size: 4096,
      intermediate_size: 27648,
      num_hidden_layers: 64,
      num_attention_heads: 80,
      num_key_value_heads: 8,
      head_dim: 128,
      max_position_embeddings: 524288,
      tie_word_embeddings: false,
      attention_bias: true,
      residual_dropout: 0.1,
    },
  },
  {
    types: "ernie4_5",
    build: _ernie,
    reads: "use_bias",
    default: {
      vocab_size: 103424,
      hidden_size: 1024,
      intermediate_size: 3072,
      num_hidden_layers: 18,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      head_dim: 128,
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
    },
  },
  {
    types: "nemotron-nas",
    build: _nas,
    reads: "attention_bias mlp_bias block_configs",
    default: { tie_word_embeddings: false },
  },
  {
    types: "gpt2",
    build: _gpt2,
    reads: "n_embd n_layer n_head n_inner n_positions n_ctx activation_function resid_pdrop embd_pdrop",
    default: {
      vocab_size: 50257,
      n_positions: 1024,
      n_embd: 768,
      n_layer: 12,
      n_head: 12,
      activation_function: "gelu_new",
      resid_pdrop: 0.1,
      embd_pdrop: 0.1,
      tie_word_embeddings: true,
    },
  },
  {
    types: "opt",
    build: _opt,
    reads: "ffn_dim word_embed_proj_dim do_layer_norm_before _remove_final_layer_norm activation_function dropout",
    default: {
      vocab_size: 50272,
      hidden_size: 768,
      num_hidden_layers: 12,
      ffn_dim: 3072,
      max_position_embeddings: 2048,
      do_layer_norm_before: true,
      dropout: 0.1,
      num_attention_heads: 12,
      activation_function: "relu",
      tie_word_embeddings: true,
    },
  },
]
