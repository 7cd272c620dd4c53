// Decoders of state spaces, linear attention and both beside attention, as std.import.hf_types.
import std.models.decoder, std.models.zamba, std.import.hf_keys, std.import.hf_types, std.import.hf_experts

// Mamba's first release. Jamba and Zamba name its sizes otherwise.
fn _selective(c: Record, expand: Int, state: Int, taps: Int, rank: Any, bias: Bool, conv_bias: Bool) -> Mixer = {
  kind: "selective",
  inner: expand * hf_get(c, "hidden_size"),
  state: state,
  taps: taps,
  rank: if rank == none or str(rank) == "auto" then ceil_div(hf_get(c, "hidden_size"), 16) else rank,
  bias: bias,
  out_bias: bias,
  conv_bias: conv_bias,
}
fn _plain(c: Record) -> Mixer = _selective(
  c,
  hf_or(c, "expand", 2),
  hf_or(c, "state_size", 16),
  hf_or(c, "conv_kernel", 4),
  hf_raw(c, "time_step_rank"),
  hf_flag(c, "use_bias"),
  hf_or(c, "use_conv_bias", true),
)
fn _prefixed(c: Record) -> Mixer = _selective(
  c,
  hf_or(c, "mamba_expand", 2),
  hf_or(c, "mamba_d_state", 16),
  hf_or(c, "mamba_d_conv", 4),
  hf_raw(c, "mamba_dt_rank"),
  hf_flag(c, "mamba_proj_bias"),
  hf_or(c, "mamba_conv_bias", true),
)
fn _mamba(c: Record) -> Decoder = _scans(c, _plain(c))
fn _falcon_mamba(c: Record) -> Decoder = _scans(c, _plain(c) with { norm = "bare" })
fn _scans(c: Record, m: Mixer) -> Decoder = hf_model(
  c,
  [{ mixer: m, mlp: { kind: "none" }, wide: hf_or(c, "residual_in_fp32", true) } for i in 0..hf_layers(c)],
)
fn _jamba(c: Record) -> Decoder = hf_mixed(
  c,
  [
    if _attends(c, i) then hf_attention(c, "full_attention", false, false, "none", false) else _prefixed(c) with {
      norm = "head"
    } for i in 0..hf_layers(c)
  ],
  [
    hf_or(c, "num_experts", 16) > 1 and i % hf_or(c, "expert_layer_period", 2) == hf_or(c, "expert_layer_offset", 1)
      for i in 0..hf_layers(c)
  ],
  hf_experts(c, hf_or(c, "num_experts", 16), hf_top(c), hf_get(c, "intermediate_size")),
  hf_dense(c),
)
fn _attends(c: Record, i: Int) -> Bool = i % hf_or(c, "attn_layer_period", 8) == hf_or(c, "attn_layer_offset", 4)

// Layers before which the stack's common transformer stands are "hybrid".
fn _zamba_kinds(c: Record, otherwise: List[String]) -> List[String] = hf_counted(
  c,
  hf_any(c, "layers_block_type layer_types", otherwise),
  "layers_block_type",
)
fn _shared_at(kinds: List[String]) -> List[Int] = [i for i in 0..len(kinds) if kinds[i] == "hybrid"]
// Of the places that have one, the n-th takes the weights of the first whose number leaves the same rest.
fn _shared(c: Record, s: Shared, at: List[Int], i: Int, blocks: Int) -> List[Shared] = [
  s with { of = if n < blocks then "" else "layer[" + str(at[n % blocks]) + "].shared" } for n in 0..len(at) if at[n] == i
]
fn _zamba_layers(c: Record, mixer: Mixer, s: Shared, kinds: List[String], blocks: Int) -> Decoder = if _wide_heads(c) then hf_model(
  c,
  [
    { mixer: mixer, mlp: { kind: "none" }, first: _shared(c, s, _shared_at(kinds), i, blocks) } for i in 0..len(kinds)
  ],
) else refuse("`attention_head_dim`: attention that is not twice as wide as the model is not followed: write twice `hidden_size` by heads")
fn _wide_heads(c: Record) -> Bool = hf_or(c, "attention_hidden_size", 2 * hf_get(c, "hidden_size")) == 2 * hf_get(c, "hidden_size") and
  hf_or(c, "attention_head_dim", _twice(c)) == _twice(c)
fn _twice(c: Record) -> Int = div(2 * hf_get(c, "hidden_size"), hf_heads(c))
fn _common(c: Record, bias: Bool) -> Shared = if hf_activation(c, true) != "gelu" then refuse(
  "`hidden_act`: the common transformer of this type has GELU here: write gelu",
) else {
  heads: hf_heads(c),
  kv_heads: hf_or(c, "num_key_value_heads", hf_heads(c)),
  head_dim: _twice(c),
  ffn: hf_or(c, "intermediate_size", 4 * hf_get(c, "hidden_size")),
  bias: bias,
}
fn _zamba(c: Record) -> Decoder = _zamba_layers(
  c,
  _prefixed(c),
  _common(c, false),
  _zamba_kinds(
    c,
    ["linear_attention", "linear_attention", "hybrid"] + [
      if i % hf_or(c, "attn_layer_period", 6) == hf_or(c, "attn_layer_offset", 4) then "hybrid" else "linear_attention"
        for i in 0..hf_layers(c) - 3
    ],
  ),
  1,
)
fn _zamba2(c: Record) -> Decoder = _zamba_layers(
  c,
  {
    kind: "state_space",
    heads: hf_or(c, "n_mamba_heads", 8),
    inner: hf_or(c, "mamba_expand", 2) * hf_get(c, "hidden_size"),
    groups: hf_or(c, "mamba_ngroups", 1),
    state: hf_or(c, "mamba_d_state", 64),
    taps: hf_or(c, "mamba_d_conv", 4),
    chunk: hf_or(c, "chunk_size", 256),
    bias: hf_flag(c, "add_bias_linear"),
    conv_bias: true,
  },
  _common(c, hf_flag(c, "add_bias_linear")) with {
    rotary = hf_flag(c, "use_mem_rope")
    rank = hf_or(c, "adapter_rank", 128)
    attention_rank = if hf_flag(c, "use_shared_attention_adapter") then hf_or(c, "adapter_rank", 128) else 0
  },
  _zamba_kinds(c, [if any([k == i for k in _zamba2_at]) then "hybrid" else "linear_attention" for i in 0..hf_layers(c)]),
  hf_or(c, "num_mem_blocks", 1),
)
let _zamba2_at: List[Int] = [6, 12, 18, 24, 30, 36, 42, 47, 51]

// Falcon-H1: attention and a state space take the same words.
fn _falcon_h1(c: Record) -> Decoder = hf_alike(
  c,
  [
    m with {
      beside = [
        {
          kind: "state_space",
          heads: hf_get(c, "mamba_n_heads"),
          inner: hf_or(c, "mamba_d_ssm", hf_or(c, "mamba_expand", 2) * hf_get(c, "hidden_size")),
          groups: hf_or(c, "mamba_n_groups", 1),
          state: hf_or(c, "mamba_d_state", 256),
          taps: hf_or(c, "mamba_d_conv", 4),
          chunk: hf_or(c, "mamba_chunk_size", 256),
          bias: _same_bias(c),
          conv_bias: hf_or(c, "mamba_conv_bias", true),
          scan_norm: hf_flag(c, "mamba_rms_norm"),
        },
      ]
    } for m in hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c))
  ],
  hf_dense(c, hf_flag(c, "mlp_bias")),
)
fn _same_bias(c: Record) -> Bool = if hf_flag(c, "mamba_proj_bias") == hf_flag(c, "projectors_bias") then hf_flag(
  c,
  "projectors_bias",
) else refuse("`projectors_bias`: a state space with a bias at one end alone is not followed: write `mamba_proj_bias` alike")

// MiniMax's first: layers of lightning attention among those of attention, each with experts.
fn _minimax_kinds(c: Record) -> List[String] = if hf_raw(c, "layer_types") != none then hf_counted(
  c,
  hf_raw(c, "layer_types"),
) else if hf_raw(c, "attn_type_list") != none then [
  if t == 0 then "linear_attention" else "full_attention" for t in hf_counted(c, hf_raw(c, "attn_type_list"), "attn_type_list")
] else [if i % 2 == 0 then "full_attention" else "linear_attention" for i in 0..hf_layers(c)]
fn _minimax(c: Record) -> Decoder = if hf_or(c, "shared_intermediate_size", 0) > 0 or hf_flag(c, "postnorm") then refuse(
  "`shared_intermediate_size`, `postnorm`: shared experts and norms behind sums of this type are not followed: write 0 and false",
) else hf_alike(
  c,
  [
    if kind == "linear_attention"
      then { kind: "lightning", heads: hf_heads(c), head_dim: hf_head_dim(c), chunk: hf_or(c, "block_size", 256) } else hf_attention(
      c,
      kind,
      false,
      false,
    ) with {
      share = hf_or(c, "rotary_dim", hf_head_dim(c)) / real(hf_head_dim(c))
    } for kind in _minimax_kinds(c)
  ],
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")),
)

// Kimi Linear: delta attention with a decay for each channel, and latent attention without positions.
fn _linear_of(c: Record, key: String, otherwise: Any) -> Any = field(hf_or(c, "linear_attn_config", {}), key, otherwise)
fn _kimi_kinds(c: Record) -> List[String] = if hf_raw(c, "layer_types") != none then hf_counted(c, hf_raw(c, "layer_types")) else [
  if any([k == i + 1 for k in _linear_of(c, "full_attn_layers", _each_fourth(c))]) then "full_attention" else "linear_attention"
    for i in 0..hf_layers(c)
]
fn _each_fourth(c: Record) -> List[Int] = [i + 1 for i in 0..hf_layers(c) if i > 0 and i % 4 == 0]
fn _kimi(c: Record) -> Decoder = hf_mixed(
  c,
  [
    if kind == "linear_attention" then {
      kind: "kda",
      heads: hf_any(c, "linear_num_heads", _linear_of(c, "num_heads", 32)),
      head_dim: hf_any(c, "linear_head_dim", _linear_of(c, "head_dim", 128)),
      rank: hf_any(c, "linear_head_dim", _linear_of(c, "head_dim", 128)),
      taps: hf_any(c, "linear_conv_kernel_dim", _linear_of(c, "short_conv_kernel_size", 4)),
    } else hf_latent(c) with { rotary = not hf_or(c, "mla_use_nope", true) } for kind in _kimi_kinds(c)
  ],
  hf_sparse_by_type(c),
  hf_experts(
    c,
    hf_routed(c),
    hf_any(c, "num_experts_per_token num_experts_per_tok", 8),
    hf_get(c, "moe_intermediate_size"),
    hf_any(c, "num_shared_experts n_shared_experts", 1) * hf_get(c, "moe_intermediate_size"),
  ) with { corrected = true },
  hf_dense(c),
)

// Ling 3: the same with products that are whole, and a gate for each head of latent attention. Those before it have the
// same name and lightning attention with norms of groups.
fn _bailing(c: Record) -> Decoder = if hf_has(c.file, "group_norm_size") and not hf_has(c.file, "short_conv_kernel_size") then refuse(
  "`group_norm_size`: lightning attention with norms of groups is not followed: of this type those with `short_conv_kernel_size` are",
) else hf_mixed(
  c,
  [
    if kind == "linear_attention" then {
      kind: "kda",
      heads: hf_any(c, "linear_num_heads", hf_heads(c)),
      head_dim: hf_any(c, "linear_head_dim head_dim", 128),
      rank: 0,
      taps: hf_any(c, "short_conv_kernel_size linear_conv_kernel_dim", 4),
    } else hf_latent(c) with { gated = true } for kind in hf_counted(
      c,
      hf_or(
        c,
        "layer_types",
        [if f then "full_attention" else "linear_attention" for f in hf_each(c, hf_or(c, "layer_group_size", 6))],
      ),
    )
  ],
  hf_sparse_by_type(c),
  hf_experts(
    c,
    hf_routed(c),
    hf_any(c, "num_experts_per_token num_experts_per_tok", 8),
    hf_get(c, "moe_intermediate_size"),
    hf_or(c, "num_shared_experts", 1) * hf_get(c, "moe_intermediate_size"),
  ) with { corrected = true },
  hf_dense(c),
)

// DeepSeek-V4: attention to words near by and to compressed ones, in streams with hyper-connections. Words of the first layers
// go to experts by a table, without a correction. `compress_ratios` may have a layer more, of modules that predict further words.
fn _v4_kinds(c: Record) -> List[String] = if hf_raw(c, "layer_types") != none then hf_counted(c, hf_raw(c, "layer_types"))
  else if hf_raw(c, "compress_ratios") != none then [_v4_kind(hf_raw(c, "compress_ratios")[i]) for i in 0..hf_layers(c)] else [
  if i < 2 or i % 2 == 0 then "heavily_compressed_attention" else "compressed_sparse_attention" for i in 0..hf_layers(c)
]
fn _v4_kind(rate: Int) -> String = match rate {
  0 -> "sliding_attention"
  4 -> "compressed_sparse_attention"
  128 -> "heavily_compressed_attention"
  _ -> refuse("`compress_ratios` has " + str(rate) + ": known are 0 4 128")
}
fn _v4_rate(c: Record, kind: String) -> Int = match kind {
  "sliding_attention" -> 0
  "compressed_sparse_attention" -> field(hf_or(c, "compress_rates", {}), kind, hf_or(c, "compress_rate_csa", 4))
  "heavily_compressed_attention" -> field(hf_or(c, "compress_rates", {}), kind, hf_or(c, "compress_rate_hca", 128))
  _ -> refuse(
    "`layer_types` has `" + kind + "`: known are sliding_attention compressed_sparse_attention heavily_compressed_attention",
  )
}
fn _v4_mixer(c: Record, kind: String) -> Mixer = {
  kind: "compressed",
  heads: hf_heads(c),
  head_dim: hf_get(c, "head_dim"),
  q_rank: hf_get(c, "q_lora_rank"),
  rope: hf_or(c, "qk_rope_head_dim", round(hf_or(c, "partial_rotary_factor", 0.125) * hf_get(c, "head_dim"))),
  window: hf_get(c, "sliding_window"),
  rate: _v4_rate(c, kind),
  index_heads: if kind == "compressed_sparse_attention" then hf_get(c, "index_n_heads") else 0,
  index_dim: hf_get(c, "index_head_dim"),
  top: if kind == "compressed_sparse_attention" then hf_get(c, "index_topk") else 0,
  o_groups: hf_get(c, "o_groups"),
  o_rank: hf_get(c, "o_lora_rank"),
}
fn _v4_hashed(c: Record) -> List[Bool] = if hf_raw(c, "mlp_layer_types") == none then [
  i < hf_or(c, "num_hash_layers", 3) for i in 0..hf_layers(c)
] else [_is_hashed(k) for k in hf_counted(c, hf_raw(c, "mlp_layer_types"), "mlp_layer_types")]
fn _is_hashed(kind: String) -> Bool = if hf_is(kind, "hash_moe moe") then kind == "hash_moe" else refuse(
  "`mlp_layer_types` has `" + kind + "`: known are hash_moe moe",
)
fn _v4(c: Record) -> Decoder = if hf_biased(c) or hf_flag(c, "mlp_bias") then refuse(
  "`attention_bias`, `mlp_bias`: biases of this type are not followed: write false",
) else hf_model(
  c,
  [
    {
      mixer: _v4_mixer(c, m[0]),
      mlp: hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c)) with { corrected = not m[1] },
    } for m in zip(_v4_kinds(c), _v4_hashed(c))
  ],
) with { hyper = hf_or(c, "hc_mult", 4) }

let _mamba_sizes: Record = { vocab_size: 50280, hidden_size: 768, num_hidden_layers: 32, tie_word_embeddings: true, expand: 2 }
let _mamba_reads = "state_size expand conv_kernel use_bias use_conv_bias time_step_rank time_step_min time_step_max time_step_floor time_step_scale time_step_init_scheme residual_in_fp32 use_mambapy use_associative_scan use_falcon_mambapy mixer_rms_eps"

let hf_hybrid_types: List[Record] = [
  { types: "mamba", build: _mamba, reads: _mamba_reads, default: _mamba_sizes },
  { types: "falcon_mamba", build: _falcon_mamba, reads: _mamba_reads, default: _mamba_sizes },
  {
    types: "jamba",
    build: _jamba,
    reads: "num_experts num_experts_per_tok expert_layer_period expert_layer_offset attn_layer_period attn_layer_offset mamba_d_state mamba_d_conv mamba_expand mamba_dt_rank mamba_conv_bias mamba_proj_bias use_mambapy use_associative_scan",
    default: {
      vocab_size: 65536,
      tie_word_embeddings: false,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 262144,
      num_experts_per_tok: 2,
    },
  },
  {
    types: "zamba",
    build: _zamba,
    reads: "layers_block_type attention_hidden_size attention_head_dim n_mamba_heads hidden_mamba_act attn_layer_period attn_layer_offset mamba_d_state mamba_d_conv mamba_expand mamba_dt_rank mamba_conv_bias mamba_proj_bias time_step_min time_step_max time_step_floor use_associative_scan",
    default: {
      vocab_size: 32000,
      tie_word_embeddings: true,
      hidden_size: 3712,
      intermediate_size: 14848,
      num_hidden_layers: 76,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 4096,
      hidden_act: "gelu",
    },
  },
  {
    types: "zamba2",
    build: _zamba2,
    reads: "layers_block_type attention_hidden_size attention_head_dim n_mamba_heads mamba_headdim mamba_ngroups mamba_d_state mamba_d_conv mamba_expand chunk_size add_bias_linear num_mem_blocks use_shared_attention_adapter adapter_rank use_mem_rope use_long_context use_conv_bias use_mem_eff_path time_step_min time_step_max time_step_floor time_step_limit kv_channels num_query_groups ffn_hidden_size hybrid_layer_ids",
    default: {
      vocab_size: 32000,
      tie_word_embeddings: true,
      hidden_size: 2560,
      num_hidden_layers: 54,
      num_attention_heads: 32,
      max_position_embeddings: 4096,
      hidden_act: "gelu",
    },
  },
  {
    types: "falcon_h1",
    build: _falcon_h1,
    reads: "attention_bias mlp_bias projectors_bias layers_block_type mamba_d_ssm mamba_n_heads mamba_d_head mamba_n_groups mamba_d_state mamba_d_conv mamba_expand mamba_chunk_size mamba_conv_bias mamba_proj_bias mamba_norm_before_gate mamba_rms_norm time_step_limit time_step_min time_step_max time_step_floor time_step_rank lm_head_multiplier mlp_multipliers key_multiplier attention_out_multiplier attention_in_multiplier ssm_multipliers ssm_in_multiplier ssm_out_multiplier",
    default: {
      vocab_size: 128000,
      tie_word_embeddings: false,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 8192,
      mamba_d_ssm: 1024,
      mamba_n_heads: 128,
    },
  },
  {
    types: "minimax minimax_text_01 minimax_m1 MiniMaxText01 MiniMaxM1",
    build: _minimax,
    reads: "num_experts_per_tok num_local_experts attn_type_list block_size rotary_dim shared_intermediate_size postnorm full_attn_alpha_factor full_attn_beta_factor linear_attn_alpha_factor linear_attn_beta_factor mlp_alpha_factor mlp_beta_factor layernorm_full_attention_alpha layernorm_full_attention_beta layernorm_linear_attention_alpha layernorm_linear_attention_beta layernorm_mlp_alpha layernorm_mlp_beta",
    default: {
      vocab_size: 32000,
      tie_word_embeddings: false,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      num_experts_per_tok: 2,
      num_local_experts: 8,
    },
  },
  {
    types: "kimi_linear",
    build: _kimi,
    reads: "attention_bias mlp_bias linear_attn_config linear_num_heads linear_head_dim linear_conv_kernel_dim num_experts n_routed_experts num_local_experts num_experts_per_token num_experts_per_tok num_shared_experts n_shared_experts moe_intermediate_size mlp_layer_types first_k_dense_replace moe_layer_freq kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim qk_head_dim v_head_dim mla_use_nope model_max_length num_nextn_predict_layers",
    default: {
      vocab_size: 163840,
      tie_word_embeddings: false,
      hidden_size: 2304,
      intermediate_size: 9216,
      moe_intermediate_size: 1024,
      num_hidden_layers: 27,
      num_attention_heads: 32,
      kv_lora_rank: 512,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      num_experts: 256,
      first_k_dense_replace: 1,
    },
  },
  {
    types: "bailing_hybrid",
    build: _bailing,
    reads: "attention_bias mlp_bias linear_head_dim linear_num_heads linear_conv_kernel_dim mtp_loss_scaling_factor short_conv_kernel_size layer_group_size num_experts num_experts_per_token num_experts_per_tok num_shared_experts moe_intermediate_size mlp_layer_types first_k_dense_replace moe_layer_freq kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim qk_head_dim v_head_dim kda_safe_gate kda_lower_bound model_max_length num_nextn_predict_layers",
    default: {
      vocab_size: 157184,
      tie_word_embeddings: false,
      hidden_size: 2560,
      intermediate_size: 6144,
      moe_intermediate_size: 768,
      num_hidden_layers: 42,
      num_attention_heads: 32,
      kv_lora_rank: 512,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      num_experts: 512,
      first_k_dense_replace: 2,
    },
  },
  {
    types: "deepseek_v4",
    build: _v4,
    reads: "attention_bias mlp_bias q_lora_rank o_groups o_lora_rank qk_rope_head_dim index_n_heads index_head_dim index_topk compress_ratios compress_rates compress_rate_csa compress_rate_hca compress_rope_theta hc_mult hc_eps hc_sinkhorn_iters num_hash_layers mlp_layer_types num_experts_per_tok n_routed_experts n_shared_experts moe_intermediate_size num_nextn_predict_layers expert_dtype",
    default: {
      vocab_size: 129280,
      tie_word_embeddings: false,
      hidden_size: 4096,
      moe_intermediate_size: 2048,
      num_hidden_layers: 43,
      num_attention_heads: 64,
      head_dim: 512,
      q_lora_rank: 1024,
      num_experts_per_tok: 6,
      n_routed_experts: 256,
      n_shared_experts: 1,
      max_position_embeddings: 1048576,
      sliding_window: 128,
      o_groups: 8,
      o_lora_rank: 1024,
      index_n_heads: 64,
      index_head_dim: 128,
      index_topk: 512,
    },
  },
]
