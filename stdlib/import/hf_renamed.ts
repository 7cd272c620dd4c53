// Decoders whose classes have names of their own for the usual sizes, as std.import.hf_types.
import std.models.decoder, std.import.hf_keys, std.import.hf_types, std.import.hf_experts

// The same sizes under the usual names, for what reads those.
fn _sizes(c: Record, hidden: Int, layers: Int, heads: Int, kv_heads: Int = heads) -> Record = {
  file: {
    hidden_size: hidden,
    num_hidden_layers: layers,
    num_attention_heads: heads,
    num_key_value_heads: kv_heads,
    vocab_size: hf_get(c, "vocab_size"),
    tie_word_embeddings: hf_or(c, "tie_word_embeddings", true),
  },
  default: {},
  seq: hf_seq(c),
}
fn _hidden(s: Record) -> Int = hf_get(s, "hidden_size")
fn _mixer(s: Record, bias: Bool, out_bias: Bool, rotary: Bool = false) -> Mixer = hf_attention(
  s,
  "full_attention",
  bias,
  out_bias,
  "none",
  rotary,
)
fn _plain(c: Record, ffn: Int, bias: Bool) -> Mlp = { ffn: ffn, activation: hf_activation(c, false), gated: false, bias: bias }
fn _alike(s: Record, mixer: Mixer, mlp: Mlp, norms: String = "before") -> Decoder = hf_model(
  s,
  [{ mixer: mixer, mlp: mlp, norms: norms } for i in 0..hf_layers(s)],
)
fn _dropped(c: Record, d: Decoder) -> Decoder = d with {
  dropout = hf_any(c, "resid_pdrop hidden_dropout resid_dropout dropout", 0)
  embed_dropout = hf_any(c, "embd_pdrop emb_pdrop embed_dropout", 0)
}

// OpenAI's names.
fn _gpt_sizes(c: Record, kv_heads: Int = hf_get(c, "n_head")) -> Record = _sizes(
  c,
  hf_get(c, "n_embd"),
  hf_get(c, "n_layer"),
  hf_get(c, "n_head"),
  kv_heads,
)
fn _gptj(c: Record) -> Decoder = _gptj_of(c, _gpt_sizes(c))
fn _gptj_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(
    s,
    _mixer(s, false, false, true) with { share = hf_or(c, "rotary_dim", hf_head_dim(s)) / real(hf_head_dim(s)) },
    _plain(c, hf_or(c, "n_inner", 4 * _hidden(s)), true),
    "shared",
  ) with { norm = "layer", head_bias = true },
)
// GPT's first release: norms behind each sum.
fn _gpt1(c: Record) -> Decoder = _gpt1_of(c, _gpt_sizes(c))
fn _gpt1_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, true, true), _plain(c, 4 * _hidden(s), true), "sum") with {
    norm = "layer"
    positions = hf_get(c, "n_positions")
    final_norm = false
  },
)
// Sines as positions, which have no weights.
fn _ctrl(c: Record) -> Decoder = _ctrl_of(c, _gpt_sizes(c))
fn _ctrl_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, true, true), { ffn: hf_get(c, "dff"), activation: "relu", gated: false, bias: true }) with {
    norm = "layer"
    head_bias = true
  },
)
fn _bigcode(c: Record) -> Decoder = _bigcode_of(c, _gpt_sizes(c, if hf_or(c, "multi_query", true) then 1 else hf_get(c, "n_head")))
fn _bigcode_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, true, true), _plain(c, hf_or(c, "n_inner", 4 * _hidden(s)), true)) with {
    norm = "layer"
    positions = hf_get(c, "n_positions")
  },
)
// Kinds of layers, each list of them as often as stands behind it.
fn _neo(c: Record) -> Decoder = _neo_of(c, _sizes(c, hf_get(c, "hidden_size"), hf_get(c, "num_layers"), hf_get(c, "num_heads")))
fn _neo_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  hf_model(
    s,
    [
      {
        mixer: _mixer(s, false, true) with { window = if kind == "local" then hf_or(c, "window_size", 256) else 0 },
        mlp: _plain(c, hf_or(c, "intermediate_size", 4 * _hidden(s)), true),
      } for kind in hf_counted(s, [k for part in hf_get(c, "attention_types") for i in 0..part[1] for k in part[0]], "attention_types")
    ],
  ) with { norm = "layer", positions = hf_get(c, "max_position_embeddings") },
)
// Biases by distance in place of positions.
fn _bloom(c: Record) -> Decoder = _bloom_of(c, _sizes(c, hf_any(c, "n_embed hidden_size", 64), hf_get(c, "n_layer"), hf_get(c, "n_head")))
fn _bloom_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, true, true), { ffn: 4 * _hidden(s), activation: "gelu", gated: false, bias: true }) with {
    norm = "layer"
    embed_norm = true
  },
)
// Its norms have a weight and no bias: one of RMS counts the same. transformers builds no other width
// of the MLP, no learned positions and no fewer heads of keys.
fn _mpt(c: Record) -> Decoder = if field(hf_or(c, "attn_config", {}), "qk_ln", false) or
  field(hf_or(c, "attn_config", {}), "attn_type", "multihead_attention") != "multihead_attention" then refuse(
  "`attn_config`: norms of queries and keys, and heads that share keys, are not followed: write false for `qk_ln`",
) else _mpt_of(c, _sizes(c, hf_get(c, "d_model"), hf_get(c, "n_layers"), hf_get(c, "n_heads")))
fn _mpt_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, false, false), { ffn: 4 * _hidden(s), activation: "gelu", gated: false }),
)
fn _dbrx(c: Record) -> Decoder = _dbrx_of(
  c,
  _sizes(c, hf_get(c, "d_model"), hf_get(c, "n_layers"), hf_get(c, "n_heads"), field(hf_or(c, "attn_config", {}), "kv_n_heads", 1)),
  hf_or(c, "ffn_config", {}),
)
fn _dbrx_of(c: Record, s: Record, f: Record) -> Decoder = _dropped(
  c,
  _alike(
    s,
    _mixer(s, false, false, true),
    hf_experts(c, field(f, "moe_num_experts", 4), field(f, "moe_top_k", 1), field(f, "ffn_hidden_size", 3584)),
  ),
)
// Sines as positions, which have no weights.
fn _xglm(c: Record) -> Decoder = _xglm_of(c, _sizes(c, hf_get(c, "d_model"), hf_get(c, "num_layers"), hf_get(c, "attention_heads")))
fn _xglm_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(s, _mixer(s, true, true), _plain(c, hf_get(c, "ffn_dim"), true) with { dropped = hf_or(c, "activation_dropout", 0) != 0 }) with {
    norm = "layer"
  },
)
// GLM before transformers had it; half of a head has a position.
fn _chatglm(c: Record) -> Decoder = if not hf_or(c, "rmsnorm", true) or hf_flag(c, "apply_residual_connection_post_layernorm") or
  hf_raw(c, "ffn_hidden_size") == none then refuse(
  "`rmsnorm`: ChatGLM before its second release is not followed",
) else if hf_raw(c, "pre_seq_len") != none then refuse(
  "`pre_seq_len`: learned words before a sample are not followed: write null",
) else _chatglm_of(
  c,
  _sizes(
    c,
    hf_get(c, "hidden_size"),
    hf_get(c, "num_layers"),
    hf_get(c, "num_attention_heads"),
    if hf_flag(c, "multi_query_attention") then hf_get(c, "multi_query_group_num") else hf_get(c, "num_attention_heads"),
  ),
)
fn _chatglm_of(c: Record, s: Record) -> Decoder = _dropped(
  c,
  _alike(
    s,
    _mixer(s, hf_flag(c, "add_qkv_bias") or hf_flag(c, "add_bias_linear"), hf_flag(c, "add_bias_linear"), true) with {
      head_dim = hf_or(c, "kv_channels", hf_head_dim(s))
      share = 0.5
    },
    { ffn: hf_get(c, "ffn_hidden_size"), bias: hf_flag(c, "add_bias_linear") },
  ) with { vocab = hf_any(c, "padded_vocab_size vocab_size", 65024), final_norm = hf_or(c, "post_layer_norm", true) },
)

// ESM-2, an encoder of proteins: layers of GPT's kind with turned positions, that see everything. Its head of
// contacts is not trained with it. NVIDIA's has words filled up to `padded_vocab_size`.
fn _esm(c: Record) -> Decoder = if hf_or(c, "position_embedding_type", "rotary") != "rotary" then refuse(
  "`position_embedding_type`: ESM-1 is not followed: write rotary",
) else if hf_flag(c, "emb_layer_norm_before") or hf_flag(c, "is_folding_model") then refuse(
  "`emb_layer_norm_before`: a norm of embedded words and models that fold are not followed: write false",
) else hf_alike(
  c,
  [m with { causal = false } for m in hf_mixers(c, hf_always(c), true, true)],
  { ffn: hf_get(c, "intermediate_size"), activation: hf_activation(c, false), gated: false, bias: true },
) with {
  norm = "layer"
  vocab = hf_any(c, "padded_vocab_size vocab_size", 33)
  tied = hf_or(c, "tie_word_embeddings", true)
  head_bias = true
  head_dense = true
  dropout = hf_or(c, "hidden_dropout_prob", 0.1)
}

let hf_renamed_types: List[Record] = [
  {
    types: "gptj codegen",
    build: _gptj,
    reads: "n_embd n_layer n_head n_inner n_positions n_ctx rotary_dim activation_function resid_pdrop embd_pdrop",
    default: {
      vocab_size: 50400,
      tie_word_embeddings: false,
      n_positions: 2048,
      n_embd: 4096,
      n_layer: 28,
      n_head: 16,
      rotary_dim: 64,
      activation_function: "gelu_new",
    },
  },
  {
    types: "openai-gpt",
    build: _gpt1,
    reads: "n_embd n_layer n_head n_positions n_ctx afn resid_pdrop embd_pdrop",
    default: {
      vocab_size: 40478,
      tie_word_embeddings: true,
      n_positions: 512,
      n_embd: 768,
      n_layer: 12,
      n_head: 12,
      activation_function: "gelu",
      resid_pdrop: 0.1,
      embd_pdrop: 0.1,
    },
  },
  {
    types: "ctrl",
    build: _ctrl,
    reads: "n_embd n_layer n_head n_positions n_ctx dff resid_pdrop embd_pdrop",
    default: {
      vocab_size: 246534,
      tie_word_embeddings: true,
      n_positions: 256,
      n_embd: 1280,
      n_layer: 48,
      n_head: 16,
      dff: 8192,
      resid_pdrop: 0.1,
      embd_pdrop: 0.1,
    },
  },
  {
    types: "gpt_bigcode",
    build: _bigcode,
    reads: "n_embd n_layer n_head n_inner n_positions n_ctx multi_query activation_function resid_pdrop embd_pdrop",
    default: {
      vocab_size: 50257,
      tie_word_embeddings: true,
      n_positions: 1024,
      n_embd: 768,
      n_layer: 12,
      n_head: 12,
      activation_function: "gelu_pytorch_tanh",
      resid_pdrop: 0.1,
      embd_pdrop: 0.1,
    },
  },
  {
    types: "gpt_neo",
    build: _neo,
    reads: "num_layers num_heads attention_types attention_layers window_size activation_function resid_dropout embed_dropout",
    default: {
      vocab_size: 50257,
      tie_word_embeddings: true,
      max_position_embeddings: 2048,
      hidden_size: 2048,
      num_layers: 24,
      num_heads: 16,
      window_size: 256,
      activation_function: "gelu_new",
      attention_types: [[["global", "local"], 12]],
    },
  },
  {
    types: "bloom",
    build: _bloom,
    reads: "n_embed n_layer n_head hidden_dropout seq_length",
    default: {
      vocab_size: 250880,
      tie_word_embeddings: true,
      hidden_size: 64,
      n_layer: 2,
      n_head: 8,
    },
  },
  {
    types: "mpt",
    build: _mpt,
    reads: "d_model n_layers n_heads max_seq_len expansion_ratio attn_config resid_pdrop emb_pdrop learned_pos_emb no_bias norm_type embedding_fraction init_device",
    default: {
      vocab_size: 50368,
      tie_word_embeddings: true,
      max_seq_len: 2048,
      d_model: 2048,
      n_layers: 24,
      n_heads: 16,
    },
  },
  {
    types: "dbrx",
    build: _dbrx,
    reads: "d_model n_layers n_heads max_seq_len attn_config ffn_config resid_pdrop emb_pdrop",
    default: {
      vocab_size: 32000,
      tie_word_embeddings: false,
      max_seq_len: 2048,
      d_model: 2048,
      n_layers: 24,
      n_heads: 16,
    },
  },
  {
    types: "xglm",
    build: _xglm,
    reads: "d_model num_layers attention_heads ffn_dim activation_function dropout activation_dropout scale_embedding",
    default: {
      vocab_size: 256008,
      tie_word_embeddings: true,
      max_position_embeddings: 2048,
      d_model: 1024,
      num_layers: 24,
      attention_heads: 16,
      ffn_dim: 4096,
      activation_function: "gelu",
      dropout: 0.1,
    },
  },
  {
    types: "esm nv_esm",
    build: _esm,
    reads: "position_embedding_type emb_layer_norm_before is_folding_model padded_vocab_size hidden_dropout_prob token_dropout esmfold_config vocab_list attn_input_format attn_mask_type encoder_activation fuse_qkv_params qkv_weight_interleaved max_seq_length micro_batch_size",
    default: {
      hidden_size: 768,
      num_hidden_layers: 12,
      num_attention_heads: 12,
      intermediate_size: 3072,
      hidden_act: "gelu",
      max_position_embeddings: 1026,
      position_embedding_type: "absolute",
      tie_word_embeddings: true,
    },
  },
  {
    types: "chatglm",
    build: _chatglm,
    reads: "num_layers ffn_hidden_size kv_channels multi_query_attention multi_query_group_num padded_vocab_size add_qkv_bias add_bias_linear rmsnorm post_layer_norm seq_length hidden_dropout original_rope bias_dropout_fusion quantization_bit pre_seq_len prefix_projection interleaved_qkv apply_query_key_layer_scaling",
    default: {
      vocab_size: 65024,
      tie_word_embeddings: false,
      seq_length: 2048,
    },
  },
]
