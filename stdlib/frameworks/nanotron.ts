// nanotron's jobs as plans: its YAML (huggingface/nanotron, August 2025: src/nanotron/config), whose model is
// a configuration by the keys of transformers.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch

record NanotronArguments {
  gpus: Int
  gpu: String
  model_model_config_hidden_size: Int = 0
  model_model_config_intermediate_size: Int = 0
  model_model_config_num_attention_heads: Int = 1
  model_model_config_num_key_value_heads: Int = 0
  model_model_config_num_hidden_layers: Int = 0
  model_model_config_vocab_size: Int = 0
  model_model_config_tie_word_embeddings: Bool = false
  model_model_config_is_starcoder2_config: Bool = false
  model_model_config_attention_bias: Bool = false
  model_model_config_moe_num_experts: Int = 0
  model_model_config_num_experts_per_tok: Int = 1
  model_model_config_moe_config_num_experts: Int = 0
  model_model_config_moe_config_top_k: Int = 1
  model_model_config_moe_config_moe_intermediate_size: Int = 1408
  model_model_config_moe_config_enable_shared_expert: Bool = false
  model_model_config_moe_config_shared_expert_intermediate_size: Int = 5632
  model_make_vocab_size_divisible_by: Int = 1
  model_ddp_bucket_cap_mb: Int = 25
  model_dtype: String = "bfloat16"
  optimizer_accumulate_grad_in_fp32: Bool = true
  optimizer_zero_stage: Int = 0
  parallelism_dp: Int = 1
  parallelism_tp: Int = 1
  parallelism_pp: Int = 1
  parallelism_context_parallel_size: Int = 1
  parallelism_expert_parallel_size: Int = 1
  parallelism_pp_engine: String = "1f1b"
  parallelism_recompute_layer: Bool = false
  parallelism_moe_layer_recompute: Bool = false
  tokens_sequence_length: Int = 0
  tokens_micro_batch_size: Int = 1
  tokens_batch_accumulation_per_replica: Int = 1
}
fn _vocab(a: NanotronArguments) -> Int = ceil_div(
  a.model_model_config_vocab_size,
  a.model_make_vocab_size_divisible_by * a.parallelism_tp,
) * a.model_make_vocab_size_divisible_by * a.parallelism_tp
fn _common(a: NanotronArguments, type: String) -> Record = {
  model_type: type,
  hidden_size: a.model_model_config_hidden_size,
  intermediate_size: a.model_model_config_intermediate_size,
  num_attention_heads: a.model_model_config_num_attention_heads,
  num_key_value_heads: if a.model_model_config_num_key_value_heads > 0 then a.model_model_config_num_key_value_heads
    else a.model_model_config_num_attention_heads,
  num_hidden_layers: a.model_model_config_num_hidden_layers,
  vocab_size: _vocab(a),
  tie_word_embeddings: a.model_model_config_tie_word_embeddings,
}
fn _experts(a: NanotronArguments, experts: Int, top: Int, width: Int) -> Record = {
  model_type: "mixtral",
  hidden_size: a.model_model_config_hidden_size,
  intermediate_size: width,
  num_attention_heads: a.model_model_config_num_attention_heads,
  num_key_value_heads: if a.model_model_config_num_key_value_heads > 0 then a.model_model_config_num_key_value_heads
    else a.model_model_config_num_attention_heads,
  num_hidden_layers: a.model_model_config_num_hidden_layers,
  vocab_size: _vocab(a),
  tie_word_embeddings: a.model_model_config_tie_word_embeddings,
  num_local_experts: experts,
  num_experts_per_tok: top,
}
// An expert that all words meet, behind a gate: as Qwen's of the second generation.
fn _shared(a: NanotronArguments, common: Record) -> Record = {
  model_type: "qwen2_moe",
  hidden_size: common.hidden_size,
  intermediate_size: common.intermediate_size,
  num_attention_heads: common.num_attention_heads,
  num_key_value_heads: common.num_key_value_heads,
  num_hidden_layers: common.num_hidden_layers,
  vocab_size: common.vocab_size,
  tie_word_embeddings: common.tie_word_embeddings,
  num_experts: a.model_model_config_moe_config_num_experts,
  num_experts_per_tok: a.model_model_config_moe_config_top_k,
  moe_intermediate_size: a.model_model_config_moe_config_moe_intermediate_size,
  shared_expert_intermediate_size: a.model_model_config_moe_config_shared_expert_intermediate_size,
  qkv_bias: a.model_model_config_attention_bias,
}
// Qwen's configuration has biases of queries, keys and values by `attention_bias`.
fn _config(a: NanotronArguments) -> Record = if a.model_model_config_moe_num_experts > 0 then _experts(
  a,
  a.model_model_config_moe_num_experts,
  a.model_model_config_num_experts_per_tok,
  a.model_model_config_intermediate_size,
) else if a.model_model_config_moe_config_enable_shared_expert then _shared(
  a,
  _common(a, ""),
) else if a.model_model_config_moe_config_num_experts > 0 then _experts(
  a,
  a.model_model_config_moe_config_num_experts,
  a.model_model_config_moe_config_top_k,
  a.model_model_config_moe_config_moe_intermediate_size,
) else _common(
  a,
  if a.model_model_config_is_starcoder2_config then "starcoder2" else if a.model_model_config_attention_bias then "qwen2" else "llama",
)
fn nanotron_job(a: NanotronArguments) -> Job = if a.model_model_config_hidden_size == 0 or a.tokens_sequence_length == 0 then refuse(
  "a job needs `model.model_config.hidden_size` and `tokens.sequence_length`",
) else {
  gpus: if a.gpus > 0 then a.gpus else a.parallelism_dp * a.parallelism_tp * a.parallelism_pp * a.parallelism_context_parallel_size *
    a.parallelism_expert_parallel_size,
  gpu: a.gpu,
  framework: torchtitan with {
    name = "nanotron"
    bucket = a.model_ddp_bucket_cap_mb * 1 MB
    copied = false
    keep_last = false
    loss = "apart"
    attention = "flash2"
    gradients = if a.optimizer_accumulate_grad_in_fp32 then fp32 else bf16
  },
  config: _config(a),
  seq: a.tokens_sequence_length,
  micro: a.tokens_micro_batch_size,
  accumulate: a.tokens_batch_accumulation_per_replica,
  tp: a.parallelism_tp,
  cp: a.parallelism_context_parallel_size,
  ep: a.parallelism_expert_parallel_size *
    (if a.parallelism_expert_parallel_size > 1 then a.parallelism_tp * a.parallelism_context_parallel_size else 1),
  pp: a.parallelism_pp,
  order: if a.parallelism_pp_engine == "afab" then "gpipe" else "1f1b",
  sharding: if a.optimizer_zero_stage >= 1 then "zero1" else "ddp",
  again: if a.parallelism_recompute_layer then framework_recompute("full") else if a.parallelism_moe_layer_recompute
    then framework_modules(["moe"]) else none,
}

let command_line = {
  about: "A job of nanotron's: `trainspec import nanotron` wrote it.",
  arguments: "NanotronArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml"],
  open: ["auto none null None"],
  plan: job_plan("nanotron_job"),
  harmless: [
    {
      why: "read, written and logged beside steps",
      names: [
        "checkpoints_checkpoints_path checkpoints_checkpoint_interval checkpoints_resume_checkpoint_path checkpoints_save_initial_state",
        "checkpoints_save_final_state checkpoints_load_lr_scheduler checkpoints_load_optimizer",
        "checkpoints_checkpoints_path_is_shared_file_system data_seed data_num_loading_workers data_dataset data_dataset_*",
        "data_stages_name data_stages_start_training_step data_stages_data_seed data_stages_data_num_loading_workers",
        "data_stages_data_dataset data_stages_data_dataset_* general_project general_run general_seed general_step",
        "general_consumed_train_samples general_benchmark_csv_path general_ignore_sanity_checks general_entity general_kill_switch_path",
        "logging_log_level logging_log_level_replica logging_iteration_step_info_interval lighteval lighteval_* profiler profiler_*",
        "tokenizer_tokenizer_name_or_path tokenizer_tokenizer_revision tokenizer_tokenizer_max_length s3_upload s3_upload_*",
        "metrics_logging metrics_logging_log_level metrics_logging_log_detail_interval tokens_train_steps tokens_val_check_interval",
        "tokens_limit_val_batches tokens_limit_test_batches doremi_domain_names doremi_domain_weights doremi_smoothing_param",
        "doremi_step_size",
      ],
    },
    {
      why: "numbers of weights, of kernels and of the optimizer",
      names: [
        "optimizer_weight_decay optimizer_weight_decay_exclude_named_params optimizer_clip_grad optimizer_optimizer_factory_name",
        "optimizer_optimizer_factory_adam_eps optimizer_optimizer_factory_adam_beta1 optimizer_optimizer_factory_adam_beta2",
        "optimizer_optimizer_factory_torch_adam_is_fused optimizer_learning_rate_scheduler_learning_rate",
        "optimizer_learning_rate_scheduler_lr_warmup_steps optimizer_learning_rate_scheduler_lr_warmup_style",
        "optimizer_learning_rate_scheduler_lr_decay_style optimizer_learning_rate_scheduler_lr_decay_steps",
        "optimizer_learning_rate_scheduler_lr_decay_starting_step optimizer_learning_rate_scheduler_min_decay_lr",
        "optimizer_adam_eps optimizer_adam_beta1 optimizer_adam_beta2 optimizer_torch_adam_is_fused", // releases before
        "model_init_method_* model_model_config_*_token_id model_model_config_hidden_act model_model_config_initializer_range model_model_config_rms_norm_eps model_model_config_rope_* model_model_config_interleaved_rotary model_model_config_max_position_embeddings model_model_config_pretraining_tp model_model_config_use_cache model_model_config__* model_model_config_z_loss_* model_model_config_flex_attention_mask model_model_config_no_rope_layer model_model_config_layer_norm_epsilon model_model_config_attn_pdrop model_model_config_embd_pdrop model_model_config_resid_pdrop model_model_config_attention_softmax_in_fp32 model_model_config_scale_* model_model_config_grouped_query model_model_config_multi_query",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "model_model_config_moe_config model_model_config_moe_config_router_aux_loss_coef model_model_config_eos_token_id data tokens model_model_config_bos_token_id tokenizer",
        "model_model_config_pad_token_id",
      ],
    },
    {
      why: "they say which class a configuration is of, which its sizes say here",
      names: ["model_model_config_is_llama_config model_model_config_is_qwen2_config model_model_config_is_llamoe_config"],
    },
    { why: "what is written, logged and watched beside steps", names: ["logging"] },
    { why: "checkpoints, and where weights come from", names: ["model_init_method checkpoints"] },
  ],
  partly: [
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "model_model_config_sliding_window_size model_model_config_moe_config_token_dispatcher_type",
        "model_model_config_moe_capacity_factor model_model_config_global_attn_layers parallelism_tp_mode",
        "parallelism_tp_linear_async_communication",
      ],
    },
    { why: "the forward of the model that weighs domains is not played", names: ["doremi_ref_model_resume_checkpoint_path"] },
    { why: "the backward gathers inputs again here", but: ["true"], names: ["parallelism_tp_recompute_allgather"] },
    { why: "sequences are as long in each stage here", names: ["data_stages_sequence_length"] },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: ["model parallelism doremi model_model_config general"],
    },
  ],
  refused: [
    {
      why: "state spaces have no plan in this importer yet",
      names: [
        "model_model_config_is_mamba_config model_model_config_d_model model_model_config_ssm_cfg_* model_model_config_fused_add_norm model_model_config_pad_vocab_size_multiple",
      ],
    },
    {
      why: "the optimizer has no record in this importer yet: AdamW is followed",
      but: ["adamW"],
      names: ["optimizer_optimizer_factory_name"],
    },
    { why: "the format has no plan here yet", but: ["bfloat16"], names: ["model_dtype"] },
    {
      why: "layers of which some have experts have no plan in this importer yet",
      but: ["-1"],
      names: ["model_model_config_moe_config_layers"],
    },
  ],
}
