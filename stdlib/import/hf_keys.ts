// Keys of a config.json that std.import.hf does not follow: those that change neither parameters nor
// the work or memory of a training step, by reason, and those that are refused unless they have a value
// that changes none. And how keys are read.

// What stands in the file, else the default of its type; `none` where a key is null or nowhere.
fn hf_raw(c: Record, key: String) -> Any = field(c.file, key, field(c.default, key, none))
fn hf_or(c: Record, key: String, otherwise: Any) -> Any = hf_other(hf_raw(c, key), otherwise)
fn hf_other(found: Any, otherwise: Any) -> Any = if found == none then otherwise else found
fn hf_get(c: Record, key: String) -> Any = _stated(hf_raw(c, key), key)
fn _stated(found: Any, key: String) -> Any = if found == none then refuse("`" + key + "` is not in the configuration: state it") else found
// The first of several names that is there: those of the file go before what its type has.
fn hf_any(c: Record, names: String, otherwise: Any) -> Any = _first(
  [v for v in [field(c.file, n, none) for n in words(names)] + [hf_raw(c, n) for n in words(names)] if v != none],
  otherwise,
)
fn _first(found: List, otherwise: Any) -> Any = if found == [] then otherwise else found[0]
// Words of a sample, as asked for, else as the configuration has it.
fn hf_asked(c: Record, otherwise: Int) -> Int = if c.seq < 0 then refuse(
  "`seq` is 1 or more, or 0 for that of the configuration",
) else if c.seq > 0 then c.seq else otherwise
fn hf_has(file: Record, key: String) -> Bool = any([k == key for k in fields(file)])
fn hf_is(name: String, names: String) -> Bool = any([n == name for n in words(names)])

// Followed for every decoder.
let hf_common: List[String] = [
  "model_type hidden_size num_hidden_layers num_attention_heads num_key_value_heads head_dim vocab_size",
  "intermediate_size hidden_act tie_word_embeddings max_position_embeddings rope_parameters",
  "rope_scaling partial_rotary_factor layer_types sliding_window",
]

// Counts of the modules that predict further words, of which a type reads some.
let hf_mtp = "num_nextn_predict_layers num_mtp_layers num_mtp_modules mtp_num_hidden_layers"

let hf_harmless: List[Record] = [
  {
    why: "what weights begin with, and what is done to them before training",
    keys: [
      "initializer_range initializer_factor init_std embedding_init_std embedding_initializer_range attention_initializer_range",
      "rescale_prenorm_residual _name_or_path auto_map architectures transformers_version",
      "torchscript return_dict",
    ],
  },
  {
    why: "the formats of a checkpoint: a plan states those that it trains in",
    keys: [
      "torch_dtype dtype quantization_config use_bfloat16 mamba_ssm_dtype mamba_ssm_cache_dtype",
      "attention_softmax_in_fp32 scale_attention_softmax_in_fp32 moe_router_dtype router_dtype",
    ],
  },
  {
    why: "constants of kernels: they take as long with any value",
    keys: [
      "rms_norm_eps layer_norm_eps layer_norm_epsilon norm_eps norm_epsilon layernorm_epsilon eps",
      "rope_theta rope_interleave rope_local_base_freq rotary_emb_base rope_ratio local_rope_theta",
      "swa_rope_theta original_max_position_embeddings initial_context_length query_pre_attn_scalar",
      "embedding_multiplier logits_scaling residual_multiplier attention_multiplier logit_scale",
      "attn_logit_softcapping softcap scale_attn_weights scale_attn_by_inverse_layer_idx",
      "embedding_multiplier_scale output_multiplier_scale attn_output_multiplier max_attn_value",
      "attn_temperature_tuning floor_scale attn_scale swiglu_alpha swiglu_limit clip_qkv qkv_clip mscale",
      "attention_value_scale scale_emb scale_depth dim_model_base use_mrope mrope_section rope_type",
    ],
  },
  {
    why: "which experts a word goes to, and with what weight: loads are stated by `load`, the loss that balances them is small",
    keys: [
      "norm_topk_prob moe_renormalize scoring_func topk_method topk_group n_group num_expert_group",
      "use_grouped_topk routed_scaling_factor router_aux_loss_coef aux_loss_alpha seq_aux",
      "output_router_logits router_jitter_noise input_jitter_noise router_z_loss_coef",
      "moe_router_activation_func use_routing_bias use_moe_router_bias moe_router_scaling_factor",
      "moe_router_enable_expert_bias capacity_factor use_expert_bias ep_size moe_shared_expert_overlap",
    ],
  },
  {
    why: "dropout inside of attention: its kernel draws it",
    keys: [
      "attention_dropout attn_pdrop attention_probs_dropout_prob",
    ],
  },
  {
    why: "of generation, not of training",
    keys: [
      "use_cache num_logits_to_keep max_length min_length do_sample early_stopping num_beams",
      "num_beam_groups diversity_penalty temperature top_k top_p typical_p repetition_penalty",
      "length_penalty no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences",
      "output_scores return_dict_in_generate forced_bos_token_id forced_eos_token_id begin_suppress_tokens",
      "suppress_tokens remove_invalid_values exponential_decay_length_penalty decoder_start_token_id",
      "cache_implementation output_past generation_config max_new_tokens prefix task_specific_params",
      "use_mamba_kernels",
    ],
  },
  {
    why: "words with a meaning",
    keys: [
      "bos_token_id eos_token_id pad_token_id sep_token_id mask_token_id unk_token_id tokenizer_class",
      "ignore_index eod_token_id",
    ],
  },
  {
    why: "heads of other tasks",
    keys: [
      "id2label label2id problem_type finetuning_task classifier_dropout num_labels summary_type",
      "summary_use_proj summary_proj_to_labels summary_first_dropout summary_activation",
    ],
  },
  {
    why: "what a forward gives besides, and how a plan runs it",
    keys: [
      "output_attentions output_hidden_states pretraining_tp slow_but_exact",
      "attn_implementation _attn_implementation _attn_implementation_autoset _flash_attn_2_enabled",
      "tf_legacy_loss gradient_checkpointing",
    ],
  },
  {
    why: "of models with an encoder and a decoder; this is none",
    keys: [
      "is_decoder cross_attention_hidden_size tie_encoder_decoder",
    ],
  },
]

// `but`: values with which the key changes nothing.
let hf_refused: List[Record] = [
  {
    key: "use_bidirectional_attention",
    but: [false, none],
    why: "attention that looks both ways in a decoder has no model here: write false",
  },
  { key: "attention_other_setting", but: [none], why: "layers whose attention has other sizes are not followed: take the key out" },
  { key: "apply_residual_connection_post_layernorm", but: [false, none], why: "sums of what a norm gave have no model here: write false" },
  { key: "add_cross_attention", but: [false, none], why: "a decoder with an encoder's words has no model here: write false" },
  { key: "is_encoder_decoder", but: [false, none], why: "a decoder with an encoder has another type: write false" },
  { key: "residual_in_fp32", but: [false, none], why: "sums in another format than the rest have no model here: write false" },
  { key: "fp32_residual_connection", but: [false, none], why: "sums in another format than the rest have no model here: write false" },
  {
    key: "reorder_and_upcast_attn",
    but: [false, none],
    why: "attention in another format than the rest has no model here: write false",
  },
  { key: "pruned_heads", but: [{}, none], why: "layers without some of their heads have no model here: write {}" },
  { key: "chunk_size_feed_forward", but: [0, none], why: "an MLP over a part of the words at a time has no model here: write 0" },
  { key: "layerdrop", but: [0, none], why: "layers that are left out by chance have no plan here: write 0.0" },
  { key: "enable_bias", but: [true, none], why: "write true: layers without biases of this type are not followed" },
  { key: "layer_norm_elementwise_affine", but: [true, none], why: "write true: norms without weights of this type are not followed" },
]

// All keys that are known, besides those that a type follows.
fn hf_known(follows: List[String]) -> List[String] = [k for names in follows for k in words(names)] + [
  k for h in hf_harmless for names in h.keys for k in words(names)
] + [r.key for r in hf_refused]
