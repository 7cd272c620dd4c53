// Decoders whose MLPs are mixtures of experts, as std.import.hf_types.
import std.models.decoder, std.import.hf_keys, std.import.hf_types

fn _met(c: Record, experts: Int, top: Int) -> Int = if c.met then top else experts
fn hf_experts(c: Record, experts: Int, top: Int, ffn: Int, shared: Int = 0) -> Mlp = {
  kind: "experts",
  experts: experts,
  top: top,
  met: _met(c, experts, top),
  ffn: ffn,
  activation: hf_activation(c, true),
  shared: shared,
  corrected: hf_or(c, "topk_method", "") == "noaux_tc" or hf_any(c, "use_routing_bias use_moe_router_bias", false),
}
fn hf_top(c: Record) -> Int = hf_any(c, "num_experts_per_tok experts_per_token", 0)
fn hf_routed(c: Record) -> Int = hf_any(c, "n_routed_experts num_experts num_local_experts", 0)
// Layers that are sparse have experts, the others an MLP.
fn hf_mixed(c: Record, mixers: List[Mixer], sparse: List[Bool], experts: Mlp, dense: Mlp, norms: String = "before") -> Decoder = hf_model(
  c,
  [{ mixer: m[0], mlp: if m[1] then experts else dense, norms: norms } for m in zip(mixers, sparse)],
)
fn _mixtral(c: Record) -> Decoder = _alike_experts(c, false)
fn _alike_experts(c: Record, bias: Bool) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_all(c, hf_raw(c, "sliding_window") == none), bias, bias),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")),
)
fn _steps(c: Record) -> List[Bool] = [
  not any([k == i for k in hf_or(c, "mlp_only_layers", [])]) and (i + 1) % hf_or(c, "decoder_sparse_step", 1) == 0 for i in 0..hf_layers(c)
]
fn _qwen2_moe(c: Record) -> Decoder = hf_mixed(
  c,
  hf_mixers(c, hf_late_windows(c), hf_or(c, "qkv_bias", true), false),
  _steps(c),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_get(c, "shared_expert_intermediate_size")) with {
    shared_gate = true
  },
  hf_dense(c),
)
fn _qwen3_moe(c: Record) -> Decoder = hf_mixed(
  c,
  hf_mixers(c, hf_all(c, not hf_flag(c, "use_sliding_window")), hf_biased(c), hf_biased(c), "head"),
  _steps(c),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size")),
  hf_dense(c),
)
// Grok-1: norms around each half, experts with GELU.
fn _grok(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), false, false),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")) with { activation = "gelu" },
  "around",
)
fn _olmoe(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "across"),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")),
)
fn _phimoe(c: Record) -> Decoder = _alike_experts(c, hf_biased(c)) with {
  norm = "layer"
  head_bias = hf_flag(c, "lm_head_bias")
}
// Layers of linear attention (0), as its forerunners have.
fn _minimax(c: Record) -> Decoder = if any([t != 1 for t in hf_or(c, "attn_type_list", [])]) then refuse(
  "`attn_type_list`: layers of linear attention of this type are not followed",
) else hf_alike(
  c,
  [
    m with { share = hf_or(c, "rotary_dim", hf_head_dim(c)) / real(hf_head_dim(c)) }
      for m in hf_mixers(c, hf_always(c), false, false, if hf_or(c, "use_qk_norm", true) then _minimax_norm(c) else "none")
  ],
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size"), hf_or(c, "shared_intermediate_size", 0)),
)
fn _minimax_norm(c: Record) -> String = if hf_or(c, "qk_norm_type", "per_layer") == "per_layer" then "across"
  else refuse("`qk_norm_type`: `" + hf_raw(c, "qk_norm_type") + "` is not followed: known is per_layer")
fn _gpt_oss(c: Record) -> Decoder = hf_alike(
  c,
  [m with { sinks = true } for m in hf_mixers(c, [i % 2 == 1 for i in 0..hf_layers(c)], hf_biased(c), hf_biased(c))],
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")) with { biased = true },
)
fn hf_shared(c: Record) -> Int = hf_or(c, "n_shared_experts", 0) * hf_get(c, "moe_intermediate_size")
fn hf_after_first(c: Record) -> List[Bool] = [
  i >= hf_or(c, "first_k_dense_replace", 0) and i % hf_or(c, "moe_layer_freq", 1) == 0 for i in 0..hf_layers(c)
]
fn _glm4_moe(c: Record) -> Decoder = hf_mixed(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), false, if hf_flag(c, "use_qk_norm") then "head" else "none"),
  hf_after_first(c),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c)),
  hf_dense(c),
)
fn hf_latent(c: Record) -> Mixer = if hf_biased(c) or hf_flag(c, "mlp_bias") then refuse(
  "`" + (if hf_biased(c) then "attention_bias" else "mlp_bias") + "`: biases of layers with latent attention are not followed: write false",
) else {
  kind: "latent",
  heads: hf_heads(c),
  q_rank: hf_or(c, "q_lora_rank", 0),
  kv_rank: hf_get(c, "kv_lora_rank"),
  nope: hf_get(c, "qk_nope_head_dim"),
  rope: hf_get(c, "qk_rope_head_dim"),
  v_dim: hf_get(c, "v_head_dim"),
}
fn hf_with_latent(c: Record, mixers: List[Mixer], sparse: List[Bool]) -> Decoder = hf_mixed(
  c,
  mixers,
  sparse,
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c)),
  hf_dense(c),
)
fn _deepseek(c: Record) -> Decoder = hf_with_latent(c, [hf_latent(c) for i in 0..hf_layers(c)], hf_after_first(c))
// Sparse latent attention: a query sees a choice of `index_topk` words, which takes as long as a window of as many.
fn _glm_dsa(c: Record) -> Decoder = hf_with_latent(c, [_indexed(c, kind) for kind in _indexers(c)], hf_sparse_by_type(c))
fn _indexed(c: Record, kind: String) -> Mixer = hf_latent(c) with {
  index_heads = match kind {
    "full" -> hf_get(c, "index_n_heads")
    "shared" -> 0
    _ -> refuse("`indexer_types` has `" + kind + "`: known are full shared")
  }
  index_dim = hf_get(c, "index_head_dim")
  window = hf_get(c, "index_topk")
}
// Layers that share take what the last full one chose. Where nothing lists them: letters F and S, or each
// `index_topk_freq`-th layer from `index_skip_topk_offset` on.
fn _indexers(c: Record) -> List[String] = if hf_raw(c, "indexer_types") != none
  then hf_counted(c, hf_raw(c, "indexer_types"), "indexer_types") else if hf_raw(c, "index_topk_pattern") != none
  then hf_counted(c, [_indexer_of(l) for l in letters(hf_raw(c, "index_topk_pattern"))], "index_topk_pattern") else [
  if max(i - hf_or(c, "index_skip_topk_offset", 2) + 1, 0) % max(hf_or(c, "index_topk_freq", 1), 1) == 0 then "full" else "shared"
    for i in 0..hf_layers(c)
]
fn _indexer_of(letter: String) -> String = match letter {
  "F" -> "full"
  "S" -> "shared"
  _ -> refuse("`index_topk_pattern` has `" + letter + "`: known are F S")
}
fn hf_sparse_by_type(c: Record) -> List[Bool] = if hf_raw(c, "mlp_layer_types") == none then hf_after_first(c)
  else [_is_sparse(k) for k in hf_counted(c, hf_raw(c, "mlp_layer_types"), "mlp_layer_types")]
fn _is_sparse(kind: String) -> Bool = if hf_is(kind, "sparse dense") then kind == "sparse"
  else refuse("`mlp_layer_types` has `" + kind + "`: known are sparse dense")
fn _llama4(c: Record) -> Decoder = hf_mixed(
  c,
  [
    hf_attention(
      c,
      m[0],
      hf_biased(c),
      hf_biased(c),
      if hf_flag(c, "use_qk_norm") and m[1] != 0 then "bare" else "none",
      m[1] != 0,
    ) for m in zip(
      hf_counted(c, hf_or(c, "layer_types", [if t != 0 then "chunked_attention" else "full_attention" for t in hf_turned(c)])),
      hf_turned(c),
    )
  ],
  _llama4_sparse(c),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size"), hf_get(c, "intermediate_size")),
  { ffn: hf_get(c, "intermediate_size_mlp"), activation: hf_activation(c, true) },
)
fn _llama4_sparse(c: Record) -> List[Bool] = _sparse_of(c, hf_or(c, "moe_layers", []))
fn _sparse_of(c: Record, stated: List) -> List[Bool] = if stated != [] then [
  any([k == i for k in stated]) for i in 0..hf_layers(c)
] else hf_each(c, hf_or(c, "interleave_moe_layer_step", 1))

// Layers of one half each: a state space (M), attention (*), an MLP (-) or experts (E), as a text of such
// letters or a list of words. Attention has no positions.
fn _halves(c: Record) -> List[String] = _halves_counted(
  c,
  if hf_raw(c, "layers_block_type") != none then hf_raw(c, "layers_block_type")
    else [_half_of(l) for l in letters(hf_get(c, "hybrid_override_pattern")) if l != "|"],
)
fn _halves_counted(c: Record, halves: List[String]) -> List[String] = if hf_raw(c, "num_hidden_layers") == none then halves
  else hf_counted(c, halves, "hybrid_override_pattern")
fn _half_of(letter: String) -> String = match letter {
  "M" -> "mamba"
  "*" -> "attention"
  "-" -> "mlp"
  "E" -> "moe"
  _ -> refuse("`hybrid_override_pattern` has `" + letter + "`: known are M * - E")
}
fn _nemotron_h(c: Record) -> Decoder = {
  layers: [_half_layer(c, h) for h in _halves(c)],
  hidden: hf_get(c, "hidden_size"),
  vocab: hf_get(c, "vocab_size"),
  seq: hf_seq(c),
  tied: hf_or(c, "tie_word_embeddings", false),
}
fn _half_layer(c: Record, half: String) -> Layer = match half {
  "mamba" -> { mixer: _state_space(c), mlp: { kind: "none" } }
  "linear_attention" -> { mixer: _state_space(c), mlp: { kind: "none" } }
  "full_attention" -> { mixer: _plain_attention(c), mlp: { kind: "none" } }
  "attention" -> { mixer: _plain_attention(c), mlp: { kind: "none" } }
  "mlp" -> { mixer: { kind: "none" }, mlp: _plain_mlp(c) }
  "moe" -> { mixer: { kind: "none" }, mlp: _plain_experts(c) }
  _ -> refuse("`layers_block_type` has `" + half + "`: known are mamba attention mlp moe")
}
fn _state_space(c: Record) -> Mixer = {
  kind: "state_space",
  heads: hf_get(c, "mamba_num_heads"),
  inner: hf_get(c, "mamba_num_heads") * hf_get(c, "mamba_head_dim"),
  groups: hf_any(c, "n_groups mamba_n_groups", 8),
  state: hf_get(c, "ssm_state_size"),
  taps: hf_or(c, "conv_kernel", 4),
  chunk: hf_any(c, "chunk_size mamba_chunk_size", 128),
  bias: hf_flag(c, "mamba_proj_bias") or hf_flag(c, "use_bias"),
  conv_bias: hf_or(c, "use_conv_bias", true),
}
fn _plain_attention(c: Record) -> Mixer = {
  heads: hf_heads(c),
  kv_heads: hf_or(c, "num_key_value_heads", hf_heads(c)),
  head_dim: hf_any(c, "head_dim attention_head_dim", div(hf_get(c, "hidden_size"), hf_heads(c))),
  bias: hf_biased(c),
  out_bias: hf_biased(c),
  rotary: false,
}
fn _plain_mlp(c: Record) -> Mlp = {
  ffn: hf_get(c, "intermediate_size"),
  activation: _squared(hf_or(c, "mlp_hidden_act", "relu2")),
  gated: false,
  bias: hf_flag(c, "mlp_bias"),
}
fn _squared(name: String) -> String = if name == "relu2" then name
  else refuse("`mlp_hidden_act`: `" + name + "` has no op here: known is relu2")
fn _plain_experts(c: Record) -> Mlp = {
  kind: "plain_experts",
  experts: hf_routed(c),
  top: hf_top(c),
  met: _met(c, hf_routed(c), hf_top(c)),
  ffn: hf_get(c, "moe_intermediate_size"),
  activation: _squared(hf_or(c, "mlp_hidden_act", "relu2")),
  shared: hf_or(c, "n_shared_experts", 0) * hf_or(c, "moe_shared_expert_intermediate_size", 0),
  latent: hf_or(c, "moe_latent_size", 0),
  corrected: true,
}

// Qwen3-Next and after: three layers of a gated delta network, and one of attention with a gate.
fn _delta_kinds(c: Record) -> List[String] = hf_counted(
  c,
  hf_or(
    c,
    "layer_types",
    [if f then "full_attention" else "linear_attention" for f in hf_each(c, hf_or(c, "full_attention_interval", 4))],
  ),
)
fn _delta_mixers(c: Record) -> List[Mixer] = [
  if kind == "linear_attention" then hf_delta_mixer(c) else hf_attention(c, kind, hf_biased(c), hf_biased(c), "head") with {
    gated = hf_or(c, "attn_output_gate", true)
  } for kind in _delta_kinds(c)
]
fn hf_delta_mixer(c: Record) -> Mixer = {
  kind: "delta",
  heads: hf_get(c, "linear_num_value_heads"),
  kv_heads: hf_get(c, "linear_num_key_heads"),
  head_dim: hf_get(c, "linear_key_head_dim"),
  v_dim: hf_get(c, "linear_value_head_dim"),
  taps: hf_get(c, "linear_conv_kernel_dim"),
}
fn _qwen3_next(c: Record) -> Decoder = hf_mixed(
  c,
  _delta_mixers(c),
  _steps(c),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_get(c, "shared_expert_intermediate_size")) with {
    shared_gate = true
  },
  if any([not s for s in _steps(c)]) then hf_dense(c) else { kind: "none" },
)
fn _qwen3_5(c: Record) -> Decoder = hf_alike(c, _delta_mixers(c), hf_dense(c))

// What several types read.
let hf_latent_reads = "mlp_bias num_experts_per_tok n_routed_experts n_shared_experts moe_intermediate_size first_k_dense_replace moe_layer_freq attention_bias kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim qk_head_dim v_head_dim num_nextn_predict_layers"
let _indexed_reads =
  hf_latent_reads + " num_mtp_layers mlp_layer_types index_topk index_head_dim index_n_heads indexer_types index_topk_freq index_topk_pattern index_skip_topk_offset indexer_rope_interleave index_share_for_mtp_iteration"
let hf_delta_reads = "linear_conv_kernel_dim linear_key_head_dim linear_value_head_dim linear_num_key_heads linear_num_value_heads full_attention_interval attn_output_gate attention_bias mtp_num_hidden_layers mtp_use_dedicated_embeddings"
let _delta_experts = " num_experts num_local_experts num_experts_per_tok moe_intermediate_size shared_expert_intermediate_size decoder_sparse_step mlp_only_layers"
let hf_deepseek_sizes: Record = {
  vocab_size: 129280,
  hidden_size: 7168,
  intermediate_size: 18432,
  moe_intermediate_size: 2048,
  num_hidden_layers: 61,
  num_attention_heads: 128,
  n_shared_experts: 1,
  n_routed_experts: 256,
  kv_lora_rank: 512,
  q_lora_rank: 1536,
  qk_rope_head_dim: 64,
  v_head_dim: 128,
  qk_nope_head_dim: 128,
  num_experts_per_tok: 8,
  first_k_dense_replace: 3,
  max_position_embeddings: 163840,
  topk_method: "noaux_tc",
  index_topk: 2048,
  index_head_dim: 128,
  index_n_heads: 64,
  tie_word_embeddings: false,
}

let hf_expert_types: List[Record] = [
  {
    types: "mixtral",
    build: _mixtral,
    reads: "num_experts_per_tok num_local_experts",
    default: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 2,
      num_local_experts: 8,
    },
  },
  {
    types: "phimoe",
    build: _phimoe,
    reads: "num_experts_per_tok num_local_experts attention_bias lm_head_bias",
    default: {
      vocab_size: 32064,
      hidden_size: 4096,
      intermediate_size: 6400,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 2,
      num_local_experts: 16,
    },
  },
  {
    types: "qwen2_moe",
    build: _qwen2_moe,
    reads: "num_experts_per_tok num_experts num_local_experts moe_intermediate_size shared_expert_intermediate_size decoder_sparse_step mlp_only_layers qkv_bias use_sliding_window max_window_layers",
    default: {
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 5632,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      sliding_window: 4096,
      moe_intermediate_size: 1408,
      shared_expert_intermediate_size: 5632,
      num_experts_per_tok: 4,
      num_experts: 60,
      qkv_bias: true,
    },
  },
  {
    types: "qwen3_moe",
    build: _qwen3_moe,
    reads: "num_experts_per_tok num_experts num_local_experts moe_intermediate_size decoder_sparse_step mlp_only_layers attention_bias use_sliding_window max_window_layers",
    default: {
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 6144,
      num_hidden_layers: 24,
      num_attention_heads: 32,
      num_key_value_heads: 4,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      sliding_window: 4096,
      moe_intermediate_size: 768,
      num_experts_per_tok: 8,
      num_experts: 128,
    },
  },
  {
    types: "qwen3_vl_moe_text",
    build: _qwen3_moe,
    reads: "num_experts_per_tok num_experts num_local_experts moe_intermediate_size decoder_sparse_step mlp_only_layers attention_bias use_sliding_window max_window_layers",
    default: {
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 5632,
      num_hidden_layers: 24,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 128000,
      tie_word_embeddings: false,
      moe_intermediate_size: 1408,
      num_experts_per_tok: 4,
      num_experts: 60,
    },
  },
  {
    types: "grok-1 grok",
    build: _grok,
    reads: "num_experts num_experts_per_tok",
    default: {
      vocab_size: 131072,
      hidden_size: 6144,
      intermediate_size: 32768,
      num_hidden_layers: 64,
      num_attention_heads: 48,
      num_key_value_heads: 8,
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      num_experts_per_tok: 2,
      num_experts: 8,
    },
  },
  {
    types: "olmoe",
    build: _olmoe,
    reads: "num_experts_per_tok num_experts num_local_experts attention_bias",
    default: {
      vocab_size: 50304,
      hidden_size: 2048,
      intermediate_size: 2048,
      num_hidden_layers: 16,
      num_attention_heads: 16,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      num_experts: 64,
    },
  },
  {
    types: "deepseek_v2",
    build: _deepseek,
    reads: hf_latent_reads,
    default: {
      vocab_size: 102400,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      n_routed_experts: 64,
      n_shared_experts: 2,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      moe_intermediate_size: 1407,
    },
  },
  {
    types: "deepseek_v3 kimi_k2",
    build: _deepseek,
    reads: hf_latent_reads + " num_mtp_layers",
    default: hf_deepseek_sizes with { max_position_embeddings = 4096 },
  },
  {
    types: "glm4_moe",
    build: _glm4_moe,
    reads: "num_experts_per_tok n_routed_experts n_shared_experts moe_intermediate_size first_k_dense_replace attention_bias use_qk_norm num_nextn_predict_layers num_mtp_layers",
    default: {
      vocab_size: 151552,
      hidden_size: 4096,
      intermediate_size: 10944,
      num_hidden_layers: 46,
      num_attention_heads: 96,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      topk_method: "noaux_tc",
      tie_word_embeddings: false,
      moe_intermediate_size: 1408,
      num_experts_per_tok: 8,
      n_shared_experts: 1,
      n_routed_experts: 128,
      first_k_dense_replace: 1,
      partial_rotary_factor: 0.5,
    },
  },
  {
    types: "gpt_oss",
    build: _gpt_oss,
    reads: "num_experts_per_tok experts_per_token num_local_experts attention_bias",
    default: {
      vocab_size: 201088,
      hidden_size: 2880,
      intermediate_size: 2880,
      num_hidden_layers: 36,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      head_dim: 64,
      sliding_window: 128,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 4,
      num_local_experts: 128,
      attention_bias: true,
    },
  },
  {
    types: "minimax_m2",
    build: _minimax,
    reads: "num_experts_per_tok num_local_experts use_qk_norm qk_norm_type rotary_dim shared_intermediate_size num_mtp_modules use_mtp mtp_transformer_layers attn_type_list",
    default: {
      vocab_size: 200064,
      hidden_size: 3072,
      intermediate_size: 1536,
      num_hidden_layers: 62,
      num_attention_heads: 48,
      num_key_value_heads: 8,
      head_dim: 128,
      max_position_embeddings: 196608,
      use_routing_bias: true,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      num_local_experts: 256,
    },
  },
  {
    types: "llama4_text",
    build: _llama4,
    reads: "intermediate_size_mlp num_experts_per_tok num_local_experts moe_layers interleave_moe_layer_step use_qk_norm no_rope_layers no_rope_layer_interval attention_chunk_size attention_bias",
    default: {
      vocab_size: 202048,
      hidden_size: 5120,
      intermediate_size: 8192,
      intermediate_size_mlp: 16384,
      num_hidden_layers: 48,
      num_attention_heads: 40,
      num_key_value_heads: 8,
      head_dim: 128,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 1,
      num_local_experts: 16,
      use_qk_norm: true,
      attention_chunk_size: 8192,
    },
  },
  {
    types: "nemotron_h",
    build: _nemotron_h,
    reads: "hybrid_override_pattern layers_block_type mamba_num_heads mamba_head_dim n_groups ssm_state_size conv_kernel chunk_size use_bias mamba_proj_bias use_conv_bias expand mamba_hidden_act mlp_hidden_act mlp_bias attention_bias n_routed_experts n_shared_experts num_experts_per_tok moe_intermediate_size moe_shared_expert_intermediate_size moe_latent_size num_nextn_predict_layers mtp_layers_block_type mtp_hybrid_override_pattern hidden_dropout time_step_floor time_step_limit time_step_max time_step_min time_step_rank attention_head_dim mamba_chunk_size mamba_n_groups",
    default: { tie_word_embeddings: false, num_experts_per_tok: 2 },
  },
  {
    types: "qwen3_next",
    build: _qwen3_next,
    reads: hf_delta_reads + _delta_experts,
    default: {
      vocab_size: 151936,
      hidden_size: 2048,
      intermediate_size: 5632,
      num_hidden_layers: 48,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      head_dim: 256,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.25,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      moe_intermediate_size: 512,
      shared_expert_intermediate_size: 512,
      num_experts_per_tok: 10,
      num_experts: 512,
    },
  },
  {
    types: "qwen3_5_moe_text",
    build: _qwen3_next,
    reads: hf_delta_reads + _delta_experts,
    default: {
      vocab_size: 248320,
      hidden_size: 2048,
      num_hidden_layers: 40,
      num_attention_heads: 16,
      num_key_value_heads: 2,
      head_dim: 256,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.25,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
      moe_intermediate_size: 512,
      shared_expert_intermediate_size: 512,
      num_experts_per_tok: 8,
      num_experts: 256,
    },
  },
  {
    types: "qwen3_5_text",
    build: _qwen3_5,
    reads: hf_delta_reads + " mlp_only_layers",
    default: {
      vocab_size: 248320,
      hidden_size: 4096,
      intermediate_size: 12288,
      num_hidden_layers: 32,
      num_attention_heads: 16,
      num_key_value_heads: 4,
      head_dim: 256,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      partial_rotary_factor: 0.25,
      linear_conv_kernel_dim: 4,
      linear_key_head_dim: 128,
      linear_value_head_dim: 128,
      linear_num_key_heads: 16,
      linear_num_value_heads: 32,
    },
  },
  {
    types: "glm_moe_dsa",
    build: _glm_dsa,
    reads: _indexed_reads,
    default: hf_deepseek_sizes with {
      vocab_size = 154880
      hidden_size = 6144
      intermediate_size = 12288
      num_hidden_layers = 78
      num_attention_heads = 64
      q_lora_rank = 2048
      v_head_dim = 256
      qk_nope_head_dim = 192
      max_position_embeddings = 4096
      index_n_heads = 32
    },
  },
  {
    types: "deepseek_v32",
    build: _glm_dsa,
    reads: _indexed_reads,
    default: hf_deepseek_sizes,
  },
]
