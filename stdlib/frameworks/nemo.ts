// NeMo's jobs as plans: the YAML of NeMo-Framework-Launcher (launcher_scripts/conf/training, release 24.07) and of
// NeMo 1's megatron_gpt_config.yaml. They are Megatron-LM's by other names, so a job becomes the arguments of
// std.frameworks.megatron. What OmegaConf would put in place of `${...}` is left open: it says again what another key
// says. Sources: NVIDIA/NeMo, nlp/models/language_modeling, of that release.
export import std.frameworks.megatron
import std.import.hf_names, std.frameworks.megatron_others

record NemoArguments {
  gpus: Int
  gpu: String
  trainer_devices: Int = 8
  trainer_num_nodes: Int = 1
  trainer_precision: String = "bf16"
  trainer_gradient_clip_val: Real = 1.0
  exp_manager_name: String = "megatron_gpt"
  micro_batch_size: Int = 1
  global_batch_size: Int = 0
  tensor_model_parallel_size: Int = 1
  pipeline_model_parallel_size: Int = 1
  virtual_pipeline_model_parallel_size: Int = 1
  context_parallel_size: Int = 1
  expert_model_parallel_size: Int = 1
  sequence_parallel: Bool = false
  encoder_seq_length: Int = 0
  seq_length: Int = 512 // of an encoder
  data_seq_length_dec: Int = 128
  max_position_embeddings: Int = 0
  num_layers: Int = 0
  hidden_size: Int = 0
  ffn_hidden_size: Int = 0
  num_attention_heads: Int = 0
  kv_channels: Int = 0
  num_query_groups: Int = 0
  normalization: String = "layernorm"
  bias: Bool = true
  qkv_bias: Bool = false
  activation: String = "gelu"
  position_embedding_type: String = "learned_absolute"
  share_embeddings_and_output_weights: Bool = true
  hidden_dropout: Real = 0.1
  attention_dropout: Real = 0.1
  override_vocab_size: Int = 0
  make_vocab_size_divisible_by: Int = 128
  tokenizer_library: String = "megatron"
  tokenizer_type: String = "GPT2BPETokenizer"
  tokenizer_num_sentinel_tokens: Int = 0
  bert_binary_head: Bool = true
  num_moe_experts: Int = 0
  moe_router_topk: Int = 2
  moe_grouped_gemm: Bool = false
  encoder_num_layers: Int = 0
  encoder_hidden_size: Int = 0
  encoder_ffn_hidden_size: Int = 0
  encoder_num_attention_heads: Int = 0
  encoder_kv_channels: Int = 0
  encoder_activation: String = "gelu"
  encoder_bias: Bool = true
  decoder_num_layers: Int = 0
  transformer_engine: Bool = false
  use_flash_attention: Bool = false
  activations_checkpoint_granularity: String = ""
  activations_checkpoint_method: String = ""
  activations_checkpoint_num_layers: Int = 0
  ub_tp_comm_overlap: Bool = false
  cross_entropy_loss_fusion: Bool = false
  fp8: Bool = false
  optim_name: String = "fused_adam"
  optim_overlap_grad_sync: Bool = false
  optim_overlap_param_sync: Bool = false
  optim_bucket_cap_mb: Int = 0
  optim_grad_sync_dtype: String = "fp32"
}
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])
// Words of a tokenizer; of one of sentences (LLaMA's, of 32,000) its file alone says it.
fn _vocab(a: NemoArguments) -> Int = if a.override_vocab_size > 0 then a.override_vocab_size else if a.tokenizer_library == "huggingface"
  then hf_config("", a.tokenizer_type).vocab_size else if a.tokenizer_library == "sentencepiece" then 32000 else match a.tokenizer_type {
  "BertWordPieceCase" -> 28996
  "BertWordPieceLowerCase" -> 30522
  _ -> 50257
}
fn _is_t5(a: NemoArguments) -> Bool = a.encoder_num_layers > 0
fn _either(a: Int, b: Int) -> Int = if a > 0 then a else b
fn _gated(activation: String) -> Bool = _is(activation, ["swiglu", "fast-swiglu", "silu", "geglu", "fast-geglu", "reglu", "fast-reglu"])
// Recomputation of no layer is none.
fn _granularity(a: NemoArguments) -> String =
  if a.activations_checkpoint_granularity == "full" and a.activations_checkpoint_num_layers == 0 then ""
  else a.activations_checkpoint_granularity
fn _sharded(a: NemoArguments) -> Bool = _is(a.optim_name, ["distributed_fused_adam", "mcore_distributed_optim"])
fn _half(a: NemoArguments) -> Bool = _is(a.trainer_precision, ["16", "16-mixed", "fp16"])
fn nemo_arguments(a: NemoArguments) -> MegatronArguments = {
  gpus: if a.gpus > 0 then a.gpus else a.trainer_devices * a.trainer_num_nodes,
  gpu: a.gpu,
  release: 202407,
  script: if a.exp_manager_name == "megatron_bert" then "pretrain_bert" else if _is_t5(a) then "pretrain_t5" else "pretrain_gpt",
  num_layers: a.num_layers,
  encoder_num_layers: a.encoder_num_layers,
  decoder_num_layers: a.decoder_num_layers,
  encoder_seq_length: a.seq_length,
  decoder_seq_length: a.data_seq_length_dec,
  hidden_size: _either(a.hidden_size, a.encoder_hidden_size),
  num_attention_heads: _either(a.num_attention_heads, a.encoder_num_attention_heads),
  ffn_hidden_size: _either(
    _either(a.ffn_hidden_size, a.encoder_ffn_hidden_size),
    4 * _either(a.hidden_size, a.encoder_hidden_size),
  ),
  kv_channels: _either(a.kv_channels, a.encoder_kv_channels),
  group_query_attention: a.num_query_groups > 0,
  num_query_groups: max(1, a.num_query_groups),
  seq_length: if _is_t5(a) then a.seq_length else a.encoder_seq_length,
  max_position_embeddings: _either(a.max_position_embeddings, _either(a.encoder_seq_length, a.seq_length)),
  position_embedding_type: match a.position_embedding_type {
    "rope" | "learned_absolute" -> a.position_embedding_type
    _ -> "none"
  },
  normalization: if a.normalization == "rmsnorm" then "RMSNorm" else "LayerNorm",
  disable_bias_linear: not (if _is_t5(a) then a.encoder_bias else a.bias),
  add_qkv_bias: a.qkv_bias,
  swiglu: _gated(if _is_t5(a) then a.encoder_activation else a.activation),
  hidden_dropout: a.hidden_dropout,
  attention_dropout: a.attention_dropout,
  untie_embeddings_and_output_weights: not a.share_embeddings_and_output_weights,
  vocab_size: _vocab(a),
  vocab_extra_ids: a.tokenizer_num_sentinel_tokens,
  make_vocab_size_divisible_by: a.make_vocab_size_divisible_by,
  bert_no_binary_head: not a.bert_binary_head,
  num_experts: a.num_moe_experts,
  moe_router_topk: a.moe_router_topk,
  moe_grouped_gemm: a.moe_grouped_gemm,
  transformer_impl: if a.transformer_engine then "transformer_engine" else "local",
  use_flash_attn: a.use_flash_attention and not a.transformer_engine,
  cross_entropy_loss_fusion: a.cross_entropy_loss_fusion,
  clip_grad: a.trainer_gradient_clip_val,
  bf16: not _half(a),
  fp16: _half(a),
  fp8_format: if a.fp8 then "hybrid" else "",
  grad_reduce_in_bf16: not _half(a) and a.optim_grad_sync_dtype == "bf16",
  recompute_granularity: _granularity(a),
  recompute_method: if _granularity(a) == "full" then a.activations_checkpoint_method else "",
  recompute_num_layers: if _granularity(a) == "full" then a.activations_checkpoint_num_layers else 0,
  tensor_model_parallel_size: a.tensor_model_parallel_size,
  pipeline_model_parallel_size: a.pipeline_model_parallel_size,
  num_virtual_stages_per_pipeline_rank: if a.virtual_pipeline_model_parallel_size > 1 then a.virtual_pipeline_model_parallel_size else 0,
  context_parallel_size: a.context_parallel_size,
  expert_model_parallel_size: a.expert_model_parallel_size,
  sequence_parallel: a.sequence_parallel and a.tensor_model_parallel_size > 1,
  tp_comm_overlap: a.ub_tp_comm_overlap and a.sequence_parallel and a.tensor_model_parallel_size > 1,
  use_distributed_optimizer: _sharded(a),
  overlap_grad_reduce: _sharded(a) and a.optim_overlap_grad_sync,
  overlap_param_gather: _sharded(a) and a.optim_overlap_param_sync,
  ddp_bucket_size: div(a.optim_bucket_cap_mb * 1048576, 4),
  micro_batch_size: a.micro_batch_size,
  global_batch_size: a.global_batch_size,
}

let command_line = {
  about: "A job of NeMo's: `trainspec import nemo` wrote it.",
  arguments: "NemoArguments",
  files: ["yaml"],
  gpu: megatron_line.gpu,
  gpus: "0",
  prefixes: [{ given: "training_", as: "" }, { given: "model_", as: "" }],
  open: ["none null None ${*"],
  plan: ["let run = megatron(nemo_arguments(arguments))"] + [l for l in megatron_line.plan if l != "let run = megatron(arguments)"],
  harmless: [
    {
      why: "written, logged and looked at beside steps",
      names: [
        "run_* defaults defaults_* hydra_* trainer_accelerator trainer_logger trainer_enable_* trainer_use_distributed_sampler trainer_max_*",
        "trainer_log_every_n_steps trainer_val_check_interval trainer_limit_* trainer_accumulate_grad_batches trainer_num_sanity_*",
        "trainer_benchmark exp_manager_* resume_from_checkpoint restore_from_path name nsys_profile_* seed gc_interval",
        "apex_transformer_log_level s3_checkpointing_* dist_ckpt_* enable_megatron_timers megatron_timer_kwargs_* env_vars_*",
        "num_sanity_val_steps rampup_batch_size run exp_manager trainer checkpoint_* validation_param_sync_overlap",
      ],
    },
    { why: "data are read beside the step", names: ["data_* data tokenizer_* tokenizer"] },
    {
      why: "numbers of weights and of the optimizer: a step takes as long with any",
      names: [
        "optim_lr optim_weight_decay optim_betas optim_sched_* optim_eps optim_sched optim_lock_timeout init_method_std",
        "use_scaled_init_method layernorm_epsilon encoder_init_method_std encoder_layernorm_epsilon do_layer_norm_weight_decay",
        "layernorm_zero_centered_gamma normalize_attention_scores attention_type headscale rotary_* native_amp_* hysteresis",
        "reduce_amax fp8_margin fp8_interval fp8_amax_* scale_positional_embedding use_cpu_initialization moe_aux_loss_coeff",
        "seq_len_interpolation_factor pre_process post_process transformer_block_type encoder_arch encoder_headscale",
        "encoder_transformer_block_type get_attention_mask_from_fusion max_time",
      ],
    },
    {
      why: "as the profile of Megatron-LM has it",
      names: [
        "persist_layer_norm gradient_as_bucket_view gradient_accumulation_fusion grad_div_ar_fusion bias_activation_fusion",
        "bias_dropout_add_fusion masked_softmax_fusion apply_query_key_layer_scaling megatron_amp_o2 mcore_gpt mcore_t5 mcore_bert",
        "overlap_p2p_comm batch_p2p_comm sync_batch_comm optim_contiguous_* grad_allreduce_chunk_size_mb apply_rope_fusion",
        "fp8_e4m3 fp8_hybrid fp8_wgrad use_emha encoder_persist_layer_norm encoder_bias_activation_fusion",
        "encoder_grad_div_ar_fusion encoder_masked_softmax_fusion encoder_bias_dropout_add_fusion ffn_dropout",
        "encoder_apply_query_key_layer_scaling encoder_hidden_dropout encoder_attention_dropout fsdp_* use_te_rng_tracker",
        "num_micro_batches_with_partial_activation_checkpoints activations_checkpoint_layers_per_pipeline deterministic_mode",
        "deteministic_mode share_token_embeddings share_decoder_tokens_head_embeddings precision moe_token_dispatcher_type",
        "pipeline_model_parallel_split_rank optim_dtype wgrad_deferral_limit use_tp_pp_dp_mapping",
      ],
    },
    {
      why: "the decoder of T5 is as the encoder here",
      names: [
        "decoder_hidden_size decoder_ffn_hidden_size decoder_num_attention_heads decoder_kv_channels decoder_init_method_std",
        "decoder_hidden_dropout decoder_attention_dropout decoder_apply_query_key_layer_scaling decoder_layernorm_epsilon",
        "decoder_persist_layer_norm decoder_bias_activation_fusion decoder_grad_div_ar_fusion decoder_masked_softmax_fusion",
        "decoder_bias_dropout_add_fusion decoder_bias decoder_normalization decoder_arch decoder_activation decoder_headscale",
        "decoder_transformer_block_type decoder_openai_gelu decoder_onnx_safe decoder_fp32_residual_connection",
        "decoder_activations_checkpoint_* decoder_position_embedding_type decoder_relative_*",
        "encoder_position_embedding_type encoder_relative_* encoder_normalization",
      ],
    },
  ],
  partly: [
    {
      why: "layers of the encoder that are recomputed are not followed",
      but: ["0", "full", "block", "uniform"],
      names: ["encoder_activations_checkpoint_*"],
    },
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False", "1.0"],
      names: [
        "ub_tp_comm_overlap_cfg_* tp_comm_* sharp defer_embedding_wgrad_compute fp8_params cpu_offloading_* optim_nccl_ub",
        "nccl_communicator_config_path moe_expert_capacity_factor moe_pad_expert_input_to_capacity window_size",
        "mcore_customization_config_* ub_tp_comm_overlap_cfg enable_cuda_graph",
      ],
    },
  ],
  refused: [
    {
      why: "models of pictures, and those that take noise away, have no plan here yet",
      names: [
        "mm_cfg_* vision_pretraining_type num_classes patch_dim img_h img_w classes_fraction num_channels drop_path_rate",
        "linear_start linear_end num_timesteps_cond timesteps first_stage_key cond_stage_key image_size channels unet_config_*",
        "first_stage_config_* cond_stage_config_* vision_* noise_scheduler_*",
      ],
    },
    {
      why: "other forms of the model or of the step have no plan here yet",
      but: ["false", "none"],
      names: [
        "fsdp fp32_residual_connection fp16_lm_cross_entropy onnx_safe openai_gelu cpu_offloading encoder_openai_gelu encoder_onnx_safe",
        "encoder_fp32_residual_connection retro_* peft_*",
      ],
    },
  ],
}
