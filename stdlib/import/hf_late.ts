// Decoders of 2024 and later, dense, with experts, and hybrids, as std.import.hf_types.
import std.models.decoder, std.import.hf_keys, std.import.hf_types, std.import.hf_experts

// -- dense --
fn _qkv_bias(c: Record) -> Bool = hf_any(c, "attention_bias qkv_bias", false)
fn _mlp_bias(c: Record) -> Bool = hf_any(c, "mlp_bias bias", false)
// Every layer sees what `layer_types` says; where a file has none, all of them everything.
fn _llama_like(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_always(c), _qkv_bias(c), _qkv_bias(c)), hf_dense(c, _mlp_bias(c)))
fn _cwm(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, [i % 4 == 0 for i in 0..hf_layers(c)], hf_biased(c), hf_biased(c)),
  hf_dense(c, hf_flag(c, "mlp_bias")),
)
fn _arcee(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c)),
  hf_dense(c, hf_flag(c, "mlp_bias"), false),
)
fn _apertus(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "head"),
  hf_dense(c, false, false),
)
fn _helium(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), false),
  hf_dense(c, hf_flag(c, "mlp_bias")),
)
fn _hunyuan(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "head"), hf_dense(c))
fn _vault(c: Record) -> Decoder = hf_alike(c, hf_mixers(c, hf_each(c, 2), hf_biased(c), hf_biased(c)), hf_dense(c)) with {
  soft_cap = hf_or(c, "final_logit_softcapping", 0) != 0
}
// Layers that see all have wider heads, whose keys are their values; experts stand beside a dense MLP.
fn _gemma4(c: Record) -> Decoder = if hf_or(c, "use_bidirectional_attention", "vision") == "all" then refuse(
  "`use_bidirectional_attention`: attention that looks both ways in a decoder has no model here",
) else _lent(
  c,
  hf_alike(
    c,
    [
      if m[1] == "full_attention" then m[0] with {
        head_dim = hf_or(c, "global_head_dim", 512)
        kv_heads = if hf_flag(c, "attention_k_eq_v") then hf_or(c, "num_global_key_value_heads", m[0].kv_heads) else m[0].kv_heads
        same = hf_flag(c, "attention_k_eq_v")
      } else m[0] for m in zip(hf_mixers(c, hf_each(c, 6), hf_biased(c), hf_biased(c), "head"), _gemma4_kinds(c))
    ],
    if hf_flag(c, "enable_moe_block") then _corrected(
      hf_experts(
        c,
        hf_get(c, "num_experts"),
        hf_get(c, "top_k_experts"),
        hf_get(c, "moe_intermediate_size"),
      ),
    ) with { beside = hf_get(c, "intermediate_size") } else hf_dense(c),
    "around",
  ),
) with {
  soft_cap = hf_or(c, "final_logit_softcapping", 0) != 0
  per_layer = if hf_or(c, "hidden_size_per_layer_input", 256) == 0 then [] else [
    { width: hf_or(c, "hidden_size_per_layer_input", 256), vocab: hf_or(c, "vocab_size_per_layer_input", 262144) },
  ]
}
// The last layers take keys and values of earlier ones; where they do, MLPs may be twice as wide.
fn _lent(c: Record, d: Decoder) -> Decoder = d with {
  layers = [
    d.layers[i] with {
      mixer = _own(d.layers[i].mixer, field(hf_or(c, "per_layer_config", {}), _two(i), {})) with { borrows = _borrows(c, i) }
      mlp = if _borrows(c, i) and hf_flag(c, "use_double_wide_mlp") then _twice(d.layers[i].mlp) else d.layers[i].mlp
    } for i in 0..hf_layers(c)
  ]
}
// Sizes that `per_layer_config` has for a layer, by its number in two digits.
fn _own(m: Mixer, said: Record) -> Mixer = m with {
  head_dim = field(said, "head_dim", m.head_dim)
  kv_heads = field(said, "num_key_value_heads", m.kv_heads)
}
fn _two(i: Int) -> String = if i < 10 then "0" + str(i) else str(i)
fn _borrows(c: Record, i: Int) -> Bool = i >= hf_layers(c) - hf_or(c, "num_kv_shared_layers", 0)
fn _twice(m: Mlp) -> Mlp = m with { ffn = 2 * m.ffn }
// Gemma 3n: four streams. The mask by which layers leave most of an MLP's elements 0 saves no work on a GPU.
fn _gemma3n(c: Record) -> Decoder = hf_model(
  c,
  [
    {
      mixer: m[0] with { borrows = _borrows(c, m[1]) },
      mlp: { ffn: _width(hf_get(c, "intermediate_size"), m[1]), activation: hf_activation(c, true) },
      norms: "around",
    } for m in zip(hf_mixers(c, hf_each(c, 5), hf_biased(c), hf_biased(c), "head"), [i for i in 0..hf_layers(c)])
  ],
) with {
  soft_cap = hf_or(c, "final_logit_softcapping", 30.0) != 0
  per_layer = [
    {
      width: hf_or(c, "hidden_size_per_layer_input", 256),
      vocab: hf_or(c, "vocab_size_per_layer_input", 262144),
      streams: hf_or(c, "altup_num_inputs", 4),
      rank: hf_or(c, "laurel_rank", 64),
      corrected: hf_or(c, "altup_correct_scale", true),
    },
  ]
}
fn _width(stated: Any, i: Int) -> Int = if is_list(stated) then stated[i] else stated
fn _gemma4_kinds(c: Record) -> List[String] = hf_or(
  c,
  "layer_types",
  [if f then "full_attention" else "sliding_attention" for f in hf_each(c, 6)],
)
// Baichuan's first: positions turned in the small one, biases by distance in the large one.
fn _baichuan(c: Record) -> Decoder = hf_alike(
  c,
  [m with { rotary = hf_layers(c) < 40 } for m in hf_mixers(c, hf_always(c), false, false)],
  hf_dense(c),
)
fn _latent_dense(c: Record) -> Decoder = hf_alike(
  c,
  [
    hf_latent(c) with { v_dim = hf_or(c, "v_head_dim", div(hf_get(c, "hidden_size"), hf_heads(c))) } for i in 0..hf_layers(c)
  ],
  hf_dense(c),
)

// -- with experts --
fn _corrected(m: Mlp) -> Mlp = m with { corrected = true }
fn _granite(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c)),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size"), hf_or(c, "shared_intermediate_size", 0)),
)
fn _dots(c: Record) -> Decoder = hf_mixed(
  c,
  hf_mixers(c, hf_late_windows(c), hf_biased(c), hf_biased(c), "head"),
  hf_after_first(c),
  _corrected(hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c))),
  hf_dense(c),
)
fn _ernie_moe(c: Record) -> Decoder = if hf_flag(c, "use_bias") then refuse(
  "`use_bias`: biases of experts of this type are not followed: write false",
) else hf_mixed(
  c,
  hf_mixers(c, hf_always(c), false, false),
  [
    i >= hf_or(c, "moe_layer_start_index", 1) and i <= _end(hf_or(c, "moe_layer_end_index", -1), hf_layers(c)) and (i + 1) %
      hf_or(c, "moe_layer_interval", 1) == 0 for i in 0..hf_layers(c)
  ],
  _corrected(
    hf_experts(
      c,
      hf_any(c, "moe_num_experts num_experts", 64),
      hf_any(c, "moe_k num_experts_per_tok", 6),
      hf_get(c, "moe_intermediate_size"),
      hf_or(c, "moe_num_shared_experts", 0) * hf_get(c, "moe_intermediate_size"),
    ),
  ),
  hf_dense(c),
)
fn _end(index: Int, layers: Int) -> Int = if index == -1 then layers - 1 else index
// Of a list, that of all layers, if they are the same.
fn _same(found: Any, key: String) -> Any = if not is_list(found) then found else if all([v == found[0] for v in found]) then found[0]
  else refuse("`" + key + "`: layers that differ in it are not followed")
fn _hunyuan_moe(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "head"),
  hf_experts(
    c,
    hf_routed(c),
    _same(hf_any(c, "moe_topk num_experts_per_tok", 1), "moe_topk"),
    hf_get(c, "intermediate_size"),
    hf_get(c, "intermediate_size"),
  ),
)
fn _flex(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "across"),
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "intermediate_size")),
  "after",
)
fn _exaone_moe(c: Record) -> Decoder = hf_mixed(
  c,
  [m with { rotary = m.window > 0 or hf_raw(c, "sliding_window") == none } for m in hf_mixers(c, _exaone_full(c), false, false, "head")],
  hf_sparse_by_type(c),
  _corrected(
    hf_experts(
      c,
      hf_routed(c),
      hf_top(c),
      hf_get(c, "moe_intermediate_size"),
      hf_any(c, "num_shared_experts n_shared_experts", 1) * hf_get(c, "moe_intermediate_size"),
    ),
  ),
  hf_dense(c),
)
fn _exaone_full(c: Record) -> List[Bool] = if hf_raw(c, "sliding_window") == none then hf_always(c)
  else hf_each(c, hf_or(c, "sliding_window_pattern", 4))
// Trinity: a gate of attention, norms around each half, positions where a layer sees a window.
fn _afmoe(c: Record) -> Decoder = hf_mixed(
  c,
  [
    m with { rotary = m.window > 0, gated = true }
      for m in hf_mixers(c, hf_each(c, hf_or(c, "global_attn_every_n_layers", 4)), hf_biased(c), hf_biased(c), "head")
  ],
  [i >= hf_or(c, "num_dense_layers", 0) for i in 0..hf_layers(c)],
  _corrected(
    hf_experts(
      c,
      hf_routed(c),
      hf_top(c),
      hf_get(c, "moe_intermediate_size"),
      hf_or(c, "num_shared_experts", 0) * hf_get(c, "moe_intermediate_size"),
    ),
  ),
  hf_dense(c),
  "around",
)
fn _latent_moe(c: Record) -> Decoder = hf_with_latent(c, [hf_latent(c) for i in 0..hf_layers(c)], hf_sparse_by_type(c))
fn _glm_lite(c: Record) -> Decoder = _balanced(_latent_moe(c))
fn _balanced(d: Decoder) -> Decoder = d with {
  layers = [l with { mlp = if l.mlp.kind == "experts" then _corrected(l.mlp) else l.mlp } for l in d.layers]
}
fn _solar(c: Record) -> Decoder = hf_alike(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), false),
  _corrected(hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c))),
)
fn _hy3(c: Record) -> Decoder = hf_mixed(
  c,
  hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "head"),
  hf_sparse_by_type(c),
  _corrected(
    hf_experts(
      c,
      hf_routed(c),
      hf_top(c),
      hf_get(c, "moe_intermediate_size"),
      hf_or(c, "num_shared_experts", 0) * hf_get(c, "moe_intermediate_size"),
    ),
  ),
  hf_dense(c, hf_flag(c, "mlp_bias")),
)
// MiMo-V2-Flash: values narrower than keys; layers that see a window have twice the heads of keys, and sinks.
fn _mimo2(c: Record) -> Decoder = hf_mixed(
  c,
  [
    m with {
      value_dim = if m.window > 0 then hf_or(c, "swa_v_head_dim", hf_get(c, "v_head_dim")) else hf_get(c, "v_head_dim")
      heads = if m.window > 0 then hf_or(c, "swa_num_attention_heads", m.heads) else m.heads
      head_dim = if m.window > 0 then hf_or(c, "swa_head_dim", m.head_dim) else m.head_dim
      window = if m.window > 0 then hf_or(c, "sliding_window_size", m.window - 1) + 1 else 0
      kv_heads = if m.window > 0 then hf_or(c, "swa_num_key_value_heads", 2 * m.kv_heads) else m.kv_heads
      sinks = if m.window > 0 then hf_or(c, "add_swa_attention_sink_bias", true) else hf_flag(c, "add_full_attention_sink_bias")
    } for m in hf_mixers(c, _mimo2_full(c, hf_or(c, "hybrid_layer_pattern", [])), hf_biased(c), false)
  ],
  _mimo2_sparse(c, hf_or(c, "moe_layer_freq", [])),
  _corrected(hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size"), hf_shared(c))),
  hf_dense(c),
)
fn _mimo2_full(c: Record, windows: List) -> List[Bool] = if windows == [] then [i == 0 or (i + 1) % 6 == 0 for i in 0..hf_layers(c)]
  else [w == 0 for w in hf_counted(c, windows, "hybrid_layer_pattern")]
fn _mimo2_sparse(c: Record, stated: List) -> List[Bool] = if stated != [] then [
  s != 0 for s in hf_counted(c, stated, "moe_layer_freq")
] else if hf_raw(c, "mlp_layer_types") != none then hf_sparse_by_type(c) else [i > 0 for i in 0..hf_layers(c)]
// Step 3.5: a gate for each head, and other counts of heads where a layer sees a window.
fn _step(c: Record) -> Decoder = hf_mixed(
  c,
  [
    m with {
      gated = true
      gate_heads = true
      heads = if m.window > 0 then hf_or(c, "num_sliding_attention_heads", field(_other(c), "num_attention_heads", m.heads)) else m.heads
      kv_heads = if m.window > 0 then field(_other(c), "num_attention_groups", m.kv_heads) else m.kv_heads
    } for m in hf_mixers(c, hf_always(c), hf_biased(c), hf_biased(c), "head")
  ],
  _step_sparse(c),
  _corrected(
    hf_experts(
      c,
      hf_any(c, "moe_num_experts n_routed_experts num_experts", 288),
      hf_any(c, "moe_top_k num_experts_per_tok", 8),
      hf_get(c, "moe_intermediate_size"),
      hf_any(c, "share_expert_dim share_expert_dims", 1280),
    ),
  ),
  hf_dense(c),
)
fn _other(c: Record) -> Record = hf_or(c, "attention_other_setting", {})
// Whether a number is in "3,4,5".
fn _listed(n: Int, text: String) -> Bool = _holds(letters("," + text + ","), letters("," + str(n) + ","))
fn _holds(text: List[String], part: List[String]) -> Bool = any([
  all([text[j + k] == part[k] for k in 0..len(part)]) for j in 0..len(text) - len(part) + 1
])
fn _step_sparse(c: Record) -> List[Bool] = if hf_raw(c, "mlp_layer_types") != none then hf_sparse_by_type(c)
  else if hf_raw(c, "moe_layers_enum") != none then [
  _listed(i, hf_raw(c, "moe_layers_enum")) for i in 0..hf_layers(c)
] else [i >= hf_or(c, "first_k_dense_replace", 3) for i in 0..hf_layers(c)]

// -- hybrids --
fn _mamba_mixer(c: Record, inner: Int) -> Mixer = {
  kind: "state_space",
  heads: hf_get(c, "mamba_n_heads"),
  inner: inner,
  groups: hf_or(c, "mamba_n_groups", 1),
  state: hf_or(c, "mamba_d_state", 256),
  taps: hf_or(c, "mamba_d_conv", 4),
  chunk: hf_or(c, "mamba_chunk_size", 256),
  bias: hf_flag(c, "mamba_proj_bias"),
  conv_bias: hf_or(c, "mamba_conv_bias", true),
}
fn _scanned(kind: String) -> Bool = if hf_is(kind, "mamba linear_attention") then true else if hf_is(
  kind,
  "attention full_attention",
) then false else refuse("`layer_types` has `" + kind + "`: known are mamba linear_attention attention full_attention")
fn _hybrid_kinds(c: Record) -> List[String] = hf_counted(
  c,
  hf_any(
    c,
    "layer_types layers_block_type",
    [if any([k == i for k in hf_or(c, "attn_layer_indices", [])]) then "attention" else "mamba" for i in 0..hf_layers(c)],
  ),
)
fn _hybrid(c: Record, rotary: Bool, mlp: Mlp) -> Decoder = hf_alike(
  c,
  [
    if _scanned(kind) then _mamba_mixer(c, hf_or(c, "mamba_expand", 2) * hf_get(c, "hidden_size"))
      else hf_attention(c, "full_attention", hf_biased(c), hf_biased(c), "none", rotary) for kind in _hybrid_kinds(c)
  ],
  mlp,
)
fn _bamba(c: Record) -> Decoder = _hybrid(c, true, hf_dense(c, hf_flag(c, "mlp_bias")))
fn _granite_hybrid(c: Record) -> Decoder = _hybrid(
  c,
  hf_or(c, "position_embedding_type", "nope") == "rope",
  if hf_or(c, "num_local_experts", 0) > 0 then hf_experts(
    c,
    hf_routed(c),
    hf_top(c),
    hf_get(c, "intermediate_size"),
    hf_or(c, "shared_intermediate_size", 0),
  ) else { ffn: hf_get(c, "shared_intermediate_size"), activation: hf_activation(c, true) },
)
fn _mamba2(c: Record) -> Decoder = hf_model(
  c,
  [
    {
      mixer: {
        kind: "state_space",
        heads: hf_get(c, "num_heads"),
        inner: hf_get(c, "expand") * hf_get(c, "hidden_size"),
        groups: hf_get(c, "n_groups"),
        state: hf_get(c, "state_size"),
        taps: hf_or(c, "conv_kernel", 4),
        chunk: hf_or(c, "chunk_size", 256),
        bias: hf_flag(c, "use_bias"),
        conv_bias: hf_or(c, "use_conv_bias", true),
      },
      mlp: { kind: "none" },
      wide: hf_or(c, "residual_in_fp32", true),
    } for i in 0..hf_layers(c)
  ],
)
fn _conv_kinds(c: Record) -> List[String] = hf_counted(
  c,
  hf_or(
    c,
    "layer_types",
    [
      if hf_raw(c, "full_attn_idxs") == none or any([k == i for k in hf_or(c, "full_attn_idxs", [])]) then "full_attention" else "conv"
        for i in 0..hf_layers(c)
    ],
  ),
)
fn _conv_mixers(c: Record) -> List[Mixer] = [
  if kind == "conv" then { kind: "conv", taps: hf_or(c, "conv_L_cache", 3), bias: hf_flag(c, "conv_bias") }
    else hf_attention(c, kind, false, false, "head") for kind in _conv_kinds(c)
]
// A width of 2/3 in whole multiples, where it is adjusted.
fn _adjusted(c: Record, width: Int) -> Int = if not hf_or(c, "block_auto_adjust_ff_dim", true) then width
  else hf_or(c, "block_multiple_of", 256) *
  ceil_div(floor(real(hf_or(c, "block_ffn_dim_multiplier", 1)) * div(2 * width, 3)), hf_or(c, "block_multiple_of", 256))
fn _lfm2(c: Record) -> Decoder = hf_alike(
  c,
  _conv_mixers(c),
  { ffn: _adjusted(c, hf_any(c, "block_ff_dim intermediate_size", 12288)) },
) with {
  tied = hf_any(c, "tie_embedding tie_word_embeddings", true)
}
fn _lfm2_moe(c: Record) -> Decoder = hf_mixed(
  c,
  _conv_mixers(c),
  [i >= hf_or(c, "num_dense_layers", 2) for i in 0..hf_layers(c)],
  hf_experts(c, hf_routed(c), hf_top(c), hf_get(c, "moe_intermediate_size")) with { corrected = hf_or(c, "use_expert_bias", true) },
  { ffn: hf_get(c, "intermediate_size") },
) with { tied = hf_any(c, "tie_embedding tie_word_embeddings", true) }
// Layers of a delta network have norms before each half, those of attention after.
fn _olmo_hybrid(c: Record) -> Decoder = hf_model(
  c,
  [
    {
      mixer: if kind == "linear_attention" then hf_delta_mixer(c) else hf_attention(c, kind, hf_biased(c), hf_biased(c), "across"),
      mlp: hf_dense(c),
      norms: if kind == "linear_attention" then "before" else "after",
    } for kind in hf_counted(
      c,
      hf_or(c, "layer_types", [if i % 4 == 3 then "full_attention" else "linear_attention" for i in 0..hf_layers(c)]),
    )
  ],
)

// Types whose layers no op of the library does: refused by name, with the reason.
let hf_refused_types: List[Record] = [
  { types: "recurrent_gemma rwkv xlstm", why: "no op does its recurrence" },
  { types: "longcat_flash", why: "layers of two attentions, and experts that do nothing, have no model" },
  { types: "diffllama doge jetmoe", why: "its attention has no op" },
]

let hf_late_types: List[Record] = [
  {
    types: "gemma3n_text",
    build: _gemma3n,
    reads: "attention_bias hidden_activation final_logit_softcapping hidden_size_per_layer_input vocab_size_per_layer_input num_kv_shared_layers altup_num_inputs altup_active_idx altup_coef_clip altup_correct_scale altup_lr_multiplier laurel_rank activation_sparsity_pattern",
    default: {
      vocab_size: 262400,
      hidden_size: 2048,
      intermediate_size: 16384,
      num_hidden_layers: 35,
      num_attention_heads: 8,
      num_key_value_heads: 2,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 32768,
      tie_word_embeddings: true,
      sliding_window: 512,
      num_kv_shared_layers: 15,
    },
  },
  {
    types: "gemma4_text",
    build: _gemma4,
    reads: "attention_bias hidden_activation final_logit_softcapping use_bidirectional_attention hidden_size_per_layer_input vocab_size_per_layer_input use_double_wide_mlp per_layer_config attention_k_eq_v num_kv_shared_layers enable_moe_block num_experts top_k_experts moe_intermediate_size global_head_dim num_global_key_value_heads",
    default: {
      vocab_size: 262144,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 30,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
      sliding_window: 512,
    },
  },
  {
    types: "internlm3 internlm2 internlm",
    build: _llama_like,
    reads: "attention_bias qkv_bias mlp_bias bias rope_dim",
    default: {
      vocab_size: 128512,
      hidden_size: 4096,
      intermediate_size: 10240,
      num_hidden_layers: 48,
      num_attention_heads: 32,
      num_key_value_heads: 2,
      max_position_embeddings: 32768,
      tie_word_embeddings: false,
      head_dim: 128,
    },
  },
  {
    types: "exaone",
    build: _llama_like,
    reads: "attention_bias mlp_bias num_layers activation_function",
    default: {
      vocab_size: 102400,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
    },
  },
  {
    types: "ministral3",
    build: _llama_like,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 131072,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 34,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 262144,
      tie_word_embeddings: false,
      head_dim: 128,
    },
  },
  {
    types: "cwm",
    build: _cwm,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 128256,
      hidden_size: 6144,
      intermediate_size: 21504,
      num_hidden_layers: 64,
      num_attention_heads: 48,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      head_dim: 128,
      sliding_window: 8192,
    },
  },
  {
    types: "apertus",
    build: _apertus,
    reads: "attention_bias post_norm qk_norm",
    default: {
      vocab_size: 131072,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 65536,
      tie_word_embeddings: false,
      hidden_act: "xielu",
    },
  },
  {
    types: "arcee",
    build: _arcee,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 32000,
      hidden_size: 2560,
      intermediate_size: 18432,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      hidden_act: "relu2",
    },
  },
  {
    types: "helium",
    build: _helium,
    reads: "attention_bias mlp_bias",
    default: {
      vocab_size: 48000,
      hidden_size: 2560,
      intermediate_size: 7040,
      num_hidden_layers: 24,
      num_attention_heads: 20,
      num_key_value_heads: 20,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      head_dim: 128,
      attention_bias: false,
    },
  },
  {
    types: "hunyuan_v1_dense",
    build: _hunyuan,
    reads: "attention_bias ",
    default: {
      vocab_size: 290943,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
    },
  },
  {
    types: "vaultgemma",
    build: _vault,
    reads: "attention_bias hidden_activation final_logit_softcapping",
    default: {
      vocab_size: 256000,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      head_dim: 256,
      hidden_activation: "gelu_pytorch_tanh",
      sliding_window: 4096,
      final_logit_softcapping: 30.0,
    },
  },
  {
    types: "baichuan",
    build: _baichuan,
    reads: "model_max_length z_loss_weight",
    default: {
      vocab_size: 125696,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      tie_word_embeddings: false,
    },
  },
  {
    types: "youtu",
    build: _latent_dense,
    reads: "attention_bias kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim qk_head_dim mlp_bias",
    default: {
      vocab_size: 128256,
      hidden_size: 2048,
      intermediate_size: 6144,
      num_hidden_layers: 32,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
      kv_lora_rank: 512,
      q_lora_rank: 1536,
      qk_nope_head_dim: 128,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
    },
  },
  {
    types: "minicpm3",
    build: _latent_dense,
    reads: "attention_bias kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim qk_head_dim mlp_bias",
    default: {
      vocab_size: 73448,
      hidden_size: 2560,
      intermediate_size: 6400,
      num_hidden_layers: 62,
      num_attention_heads: 40,
      num_key_value_heads: 40,
      max_position_embeddings: 32768,
      tie_word_embeddings: true,
      kv_lora_rank: 256,
      q_lora_rank: 768,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 32,
    },
  },
  {
    types: "granitemoe granitemoeshared",
    build: _granite,
    reads: "attention_bias num_local_experts num_experts_per_tok shared_intermediate_size",
    default: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      num_local_experts: 8,
      num_experts_per_tok: 2,
    },
  },
  {
    types: "dots1",
    build: _dots,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size n_routed_experts n_shared_experts first_k_dense_replace moe_layer_freq max_window_layers use_sliding_window",
    default: {
      vocab_size: 152064,
      hidden_size: 4608,
      intermediate_size: 10944,
      num_hidden_layers: 62,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      moe_intermediate_size: 1408,
      sliding_window: 4096,
    },
  },
  {
    types: "ernie4_5_moe",
    build: _ernie_moe,
    reads: "use_bias moe_intermediate_size moe_k num_experts_per_tok moe_num_experts num_experts moe_num_shared_experts moe_layer_start_index moe_layer_end_index moe_layer_interval moe_norm_min",
    default: {
      vocab_size: 103424,
      hidden_size: 2560,
      intermediate_size: 12288,
      num_hidden_layers: 28,
      num_attention_heads: 20,
      num_key_value_heads: 4,
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
      moe_intermediate_size: 1536,
      moe_num_shared_experts: 2,
      moe_num_experts: 64,
      moe_k: 6,
    },
  },
  {
    types: "hunyuan_v1_moe",
    build: _hunyuan_moe,
    reads: "attention_bias num_experts num_local_experts moe_topk num_experts_per_tok",
    default: {
      vocab_size: 290943,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      num_experts: 1,
    },
  },
  {
    types: "flex_olmo",
    build: _flex,
    reads: "attention_bias num_experts num_local_experts num_experts_per_tok",
    default: {
      vocab_size: 100352,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 4096,
      tie_word_embeddings: false,
      num_experts: 7,
      num_experts_per_tok: 5,
    },
  },
  {
    types: "exaone_moe",
    build: _exaone_moe,
    reads: "num_experts num_local_experts num_experts_per_tok moe_intermediate_size num_shared_experts n_shared_experts mlp_layer_types first_k_dense_replace sliding_window_pattern num_nextn_predict_layers",
    default: {
      vocab_size: 102400,
      hidden_size: 4096,
      intermediate_size: 16384,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      moe_intermediate_size: 1024,
      num_experts: 64,
      num_shared_experts: 1,
      first_k_dense_replace: 1,
      sliding_window: 4096,
    },
  },
  {
    types: "afmoe",
    build: _afmoe,
    reads: "attention_bias num_experts num_local_experts num_experts_per_tok moe_intermediate_size num_shared_experts num_dense_layers global_attn_every_n_layers mup_enabled route_scale route_norm score_func load_balance_coeff",
    default: {
      vocab_size: 200192,
      hidden_size: 2048,
      intermediate_size: 6144,
      num_hidden_layers: 32,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      max_position_embeddings: 16384,
      tie_word_embeddings: false,
      num_experts_per_tok: 6,
      moe_intermediate_size: 1408,
      num_experts: 64,
      num_shared_experts: 2,
      num_dense_layers: 1,
      head_dim: 128,
      sliding_window: 1024,
    },
  },
  {
    types: "glm4_moe_lite",
    build: _glm_lite,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim mlp_bias n_routed_experts n_shared_experts mlp_layer_types first_k_dense_replace moe_layer_freq qk_head_dim num_nextn_predict_layers",
    default: {
      vocab_size: 154880,
      hidden_size: 2048,
      intermediate_size: 10240,
      num_hidden_layers: 47,
      num_attention_heads: 20,
      num_key_value_heads: 20,
      max_position_embeddings: 202752,
      tie_word_embeddings: false,
      num_experts_per_tok: 4,
      moe_intermediate_size: 1536,
      kv_lora_rank: 512,
      q_lora_rank: 768,
      qk_nope_head_dim: 192,
      qk_rope_head_dim: 64,
      v_head_dim: 256,
      n_routed_experts: 64,
      n_shared_experts: 1,
      first_k_dense_replace: 1,
    },
  },
  {
    types: "mistral4",
    build: _latent_moe,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size kv_lora_rank q_lora_rank qk_nope_head_dim qk_rope_head_dim v_head_dim mlp_bias n_routed_experts n_shared_experts mlp_layer_types first_k_dense_replace moe_layer_freq qk_head_dim",
    default: {
      vocab_size: 131072,
      hidden_size: 4096,
      intermediate_size: 12288,
      num_hidden_layers: 36,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 1048576,
      tie_word_embeddings: false,
      num_experts_per_tok: 4,
      moe_intermediate_size: 2048,
      kv_lora_rank: 256,
      q_lora_rank: 1024,
      qk_nope_head_dim: 64,
      qk_rope_head_dim: 64,
      v_head_dim: 128,
      n_routed_experts: 128,
      n_shared_experts: 1,
    },
  },
  {
    types: "solar_open",
    build: _solar,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size n_routed_experts n_shared_experts",
    default: {
      vocab_size: 196608,
      hidden_size: 4096,
      num_hidden_layers: 48,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      moe_intermediate_size: 1280,
      n_routed_experts: 128,
      n_shared_experts: 1,
      head_dim: 128,
    },
  },
  {
    types: "hy_v3",
    build: _hy3,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size mlp_bias num_experts num_local_experts num_shared_experts mlp_layer_types first_k_dense_replace router_scaling_factor enable_moe_fp32_combine num_nextn_predict_layers",
    default: {
      vocab_size: 120832,
      hidden_size: 4096,
      intermediate_size: 13312,
      num_hidden_layers: 80,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      moe_intermediate_size: 1536,
      num_experts: 192,
      num_shared_experts: 1,
      head_dim: 128,
      first_k_dense_replace: 1,
    },
  },
  {
    types: "mimo_v2_flash",
    build: _mimo2,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size n_routed_experts n_shared_experts v_head_dim sliding_window_size attention_chunk_size hybrid_layer_pattern mlp_layer_types moe_layer_freq swa_num_attention_heads swa_num_key_value_heads swa_head_dim swa_v_head_dim add_swa_attention_sink_bias add_full_attention_sink_bias",
    default: {
      vocab_size: 152576,
      hidden_size: 4096,
      intermediate_size: 16384,
      num_hidden_layers: 48,
      num_attention_heads: 64,
      num_key_value_heads: 4,
      max_position_embeddings: 131072,
      tie_word_embeddings: false,
      num_experts_per_tok: 8,
      moe_intermediate_size: 2048,
      n_routed_experts: 256,
      head_dim: 192,
      v_head_dim: 128,
      sliding_window: 128,
    },
  },
  {
    types: "step3p7 step3p5",
    build: _step,
    reads: "attention_bias num_experts_per_tok moe_intermediate_size attention_other_setting num_sliding_attention_heads moe_num_experts n_routed_experts num_experts moe_top_k n_shared_experts share_expert_dim share_expert_dims mlp_layer_types moe_layers_enum first_k_dense_replace num_nextn_predict_layers",
    default: {
      vocab_size: 128815,
      hidden_size: 4096,
      intermediate_size: 11264,
      num_hidden_layers: 45,
      num_attention_heads: 64,
      num_key_value_heads: 8,
      max_position_embeddings: 128000,
      tie_word_embeddings: false,
      head_dim: 128,
      moe_intermediate_size: 1280,
    },
  },
  {
    types: "bamba",
    build: _bamba,
    reads: "attention_bias mlp_bias attn_layer_indices layers_block_type mamba_n_heads mamba_d_head mamba_n_groups mamba_d_state mamba_d_conv mamba_expand mamba_chunk_size mamba_conv_bias mamba_proj_bias time_step_limit z_loss_coefficient",
    default: {
      vocab_size: 128000,
      hidden_size: 4096,
      intermediate_size: 14336,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 262144,
      tie_word_embeddings: false,
      mamba_n_heads: 128,
      partial_rotary_factor: 0.5,
    },
  },
  {
    types: "granitemoehybrid",
    build: _granite_hybrid,
    reads: "attention_bias num_local_experts num_experts_per_tok shared_intermediate_size position_embedding_type layers_block_type mamba_n_heads mamba_d_head mamba_n_groups mamba_d_state mamba_d_conv mamba_expand mamba_chunk_size mamba_conv_bias mamba_proj_bias time_step_limit",
    default: {
      vocab_size: 32000,
      hidden_size: 4096,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 32,
      max_position_embeddings: 2048,
      tie_word_embeddings: false,
      num_local_experts: 8,
      num_experts_per_tok: 2,
      shared_intermediate_size: 1024,
      mamba_n_heads: 128,
    },
  },
  {
    types: "mamba2",
    build: _mamba2,
    reads: "residual_in_fp32 num_heads expand n_groups state_size conv_kernel chunk_size use_bias use_conv_bias time_step_rank time_step_min time_step_max time_step_floor time_step_limit",
    default: {
      vocab_size: 32768,
      hidden_size: 4096,
      num_hidden_layers: 64,
      tie_word_embeddings: false,
      num_heads: 128,
      expand: 2,
      n_groups: 8,
      state_size: 128,
    },
  },
  {
    types: "lfm2",
    build: _lfm2,
    reads: "full_attn_idxs conv_L_cache conv_bias conv_dim conv_dim_out conv_use_xavier_init block_dim block_ff_dim block_multiple_of block_ffn_dim_multiplier block_auto_adjust_ff_dim block_mlp_init_scale block_norm_eps block_out_init_scale block_use_swiglu block_use_xavier_init num_heads tie_embedding",
    default: {
      vocab_size: 65536,
      hidden_size: 2560,
      intermediate_size: 12288,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 128000,
      tie_word_embeddings: true,
    },
  },
  {
    types: "lfm2_moe",
    build: _lfm2_moe,
    reads: "conv_L_cache conv_bias full_attn_idxs num_dense_layers num_experts num_local_experts num_experts_per_tok moe_intermediate_size use_expert_bias tie_embedding",
    default: {
      vocab_size: 65536,
      hidden_size: 2048,
      intermediate_size: 7168,
      num_hidden_layers: 32,
      num_attention_heads: 32,
      num_key_value_heads: 8,
      max_position_embeddings: 128000,
      tie_word_embeddings: true,
      moe_intermediate_size: 1792,
      num_experts: 32,
      num_experts_per_tok: 4,
    },
  },
  {
    types: "olmo_hybrid",
    build: _olmo_hybrid,
    reads: "attention_bias linear_num_key_heads linear_num_value_heads linear_key_head_dim linear_value_head_dim linear_conv_kernel_dim linear_a_log_min linear_a_log_max linear_dt_min linear_dt_max linear_dt_init_floor linear_allow_neg_eigval",
    default: {
      vocab_size: 100352,
      hidden_size: 3840,
      intermediate_size: 11008,
      num_hidden_layers: 32,
      num_attention_heads: 30,
      num_key_value_heads: 30,
      max_position_embeddings: 65536,
      tie_word_embeddings: false,
      linear_num_key_heads: 30,
      linear_num_value_heads: 30,
      linear_key_head_dim: 96,
      linear_value_head_dim: 192,
      linear_conv_kernel_dim: 4,
    },
  },
]
