// Axolotl's jobs as plans: its YAML (axolotl 0.19, utils/schemas). The model is Hugging Face's by name.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch, std.frameworks.optimizers, std.frameworks.deepspeed_keys

record AxolotlArguments {
  gpus: Int
  gpu: String
  base_model: String = ""
  model_config: String = ""
  sequence_len: Int = 2048
  micro_batch_size: Int = 1
  gradient_accumulation_steps: Int = 1
  gradient_checkpointing: String = "false"
  activation_offloading: String = "false"
  dp_shard_size: Int = 0
  dp_replicate_size: Int = 1
  context_parallel_size: Int = 1
  sequence_parallel_degree: Int = 1
  tensor_parallel_size: Int = 1
  fsdp: List[String] = []
  fsdp_version: Int = 1
  fsdp_offload_params: Bool = false
  fsdp_reshard_after_forward: Bool = true
  fsdp_activation_checkpointing: Bool = false
  fsdp_sharding_strategy: String = ""
  zero_optimization_stage: Int = -1
  zero_optimization_overlap_comm: Bool = true
  zero_optimization_offload_optimizer_device: String = "none"
  optimizer: String = "adamw_torch_fused"
  optimizer_type: String = "" // of DeepSpeed's file, before it
  fp16: Bool = false
  adapter: String = "none"
  lora_r: Int = 8
  lora_dropout: Real = 0
  lora_target_modules: List[String] = []
  lora_target_linear: Bool = false
  lora_target_parameters: List[String] = []
  lora_modules_to_save: List[String] = []
  peft_use_dora: Bool = false
  load_in_4bit: Bool = false
  load_in_8bit: Bool = false
  liger_fused_linear_cross_entropy: Bool = false
  plugins: List[String] = []
  cut_cross_entropy: String = "" // a plugin's, which switches it on
  tiled_mlp: Bool = false
}
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])

fn _shards(a: AxolotlArguments) -> Bool = a.fsdp != [] or a.fsdp_version > 1 or a.dp_shard_size > 0
fn _sharding(a: AxolotlArguments) -> String = if _shards(
  a,
) then (match a.fsdp_sharding_strategy {
  "SHARD_GRAD_OP" | "2" -> "zero2"
  "NO_SHARD" | "3" -> "ddp"
  "" | "FULL_SHARD" | "1" -> if a.fsdp_reshard_after_forward then "fsdp" else "zero2"
  _ -> refuse("`fsdp_sharding_strategy`: " + a.fsdp_sharding_strategy + " has no plan here yet: FULL_SHARD, SHARD_GRAD_OP or NO_SHARD")
}) else match a.zero_optimization_stage {
  3 -> "fsdp"
  2 -> "zero2"
  1 -> "zero1"
  _ -> "ddp"
}
fn _tuned(a: AxolotlArguments) -> Tuning = if not _is(a.adapter, ["lora", "qlora", "dora"]) then {} else {
  method: "lora",
  rank: a.lora_r,
  targets: a.lora_target_modules + (if a.lora_target_linear then ["all"] else []) + a.lora_target_parameters,
  saved: a.lora_modules_to_save,
  dropped: a.lora_dropout > 0,
  decomposed: a.peft_use_dora or a.adapter == "dora",
  stored: job_stored(a.load_in_4bit, a.load_in_8bit),
}
fn _cuts(a: AxolotlArguments) -> Bool = if a.cut_cross_entropy == "" then any([
  last(words(p, ".")) == "CutCrossEntropyPlugin" for p in a.plugins
]) else a.cut_cross_entropy == "true"
fn _leave(to: String) -> Bool = match to {
  "false" | "" | "null" -> false
  "true" | "legacy" | "disk" -> true
  _ -> refuse("`activation_offloading`: `" + to + "` is none of true, false, legacy and disk")
}
fn axolotl_job(a: AxolotlArguments) -> Job = {
  gpus: a.gpus,
  launched: max(a.dp_shard_size, 0) * a.dp_replicate_size * a.tensor_parallel_size,
  gpu: a.gpu,
  framework: if _shards(a) then torchtitan with { name = "Axolotl", loss = "copied", attention = "flash2" } else deepspeed with {
    overlap = a.zero_optimization_overlap_comm
    name = "Axolotl"
  },
  config: hf_config(a.model_config, a.base_model, "base_model"),
  text: true,
  seq: a.sequence_len,
  micro: a.micro_batch_size,
  accumulate: a.gradient_accumulation_steps,
  tp: a.tensor_parallel_size,
  cp: max(a.context_parallel_size, a.sequence_parallel_degree),
  copies: a.dp_replicate_size,
  sharding: _sharding(a),
  again: if a.fsdp_activation_checkpointing or not _is(a.gradient_checkpointing, ["false"]) then framework_recompute("full") else none,
  tiled: (if a.liger_fused_linear_cross_entropy or _cuts(a) then "loss " else "") + (if a.tiled_mlp then "mlp" else ""),
  half: if a.fp16 then fp16 else bf16,
  optimizer: optimizer_named(if a.optimizer_type != "" then a.optimizer_type else a.optimizer),
  kept_on_host: _leave(a.activation_offloading) or _is(a.gradient_checkpointing, ["offload", "offload_disk"]),
  on_host: a.fsdp_offload_params or a.zero_optimization_offload_optimizer_device == "cpu",
  tuned: _tuned(a),
}

let command_line = {
  about: "A job of Axolotl's: `trainspec import axolotl` wrote it.",
  arguments: "AxolotlArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml json"],
  open: ["auto none null None"],
  reads: ["deepspeed"],
  named: job_stages,
  prefixes: [{ given: "fsdp_config_fsdp_", as: "fsdp_" }, { given: "fsdp_config_", as: "fsdp_" }],
  plan: job_plan("axolotl_job", tuned: true),
  harmless: deepspeed_harmless + [
    {
      why: "DeepSpeed's buckets and numbers, as its profile has them",
      names: [
        "gradient_clipping gradient_predivide_factor prescale_gradients steps_per_print wall_clock_breakdown memory_breakdown zero_allow_untested_optimizer zero_force_ds_cpu_optimizer train_batch_size train_micro_batch_size_per_gpu",
      ],
    },
    {
      why: "kernels and ways to run of the profile",
      names: [
        "use_kernels bf16 bfloat16 tf32 float16 float32 sample_packing sample_packing_group_size sample_packing_bin_size",
        "sample_packing_seq_len_multiplier sample_packing_sequentially sample_packing_mp_start_method sample_packing_eff_est pad_to_sequence_len",
        "pad_to_multiple_of batch_flattening multipack_real_batches experimental_skip_move_to_device",
        "gradient_checkpointing_kwargs_use_reentrant gradient_checkpointing_kwargs_determinism_check type_of_model",
        "model_type heads_k_stride ring_attn_func gpu_memory_limit gc_steps device_map max_memory",
        "noisy_embedding_alpha group_by_length llama4_linearized_experts strict mean_resizing_embeddings",
        "resize_token_embeddings_to_32x shrink_embeddings reinit_weights fix_untrained_tokens embeddings_skip_upcast",
        "ddp ddp_timeout ddp_find_unused_parameters ddp_broadcast_buffers rope_scaling rope_scaling_type",
        "rope_scaling_factor rope_scaling_rope_type rope_scaling_original_max_position_embeddings",
      ],
    },
    {
      why: "FSDP's units are layers here, and what it reads and writes stands beside steps",
      names: [
        "fsdp_config fsdp_sync_module_states fsdp_cpu_ram_efficient_loading fsdp_cpu_offload_pin_memory fsdp_use_orig_params",
        "fsdp_state_dict_type fsdp_final_state_dict_type fsdp_transformer_layer_cls_to_wrap fsdp_limit_all_gathers",
        "fsdp_forward_prefetch fsdp_backward_prefetch fsdp_version",
      ],
    },
    {
      why: "numbers of adapters, and where they come from",
      names: [
        "lora_alpha lora_model_dir lora_fan_in_fan_out lora_alpha_pattern lora_on_cpu loraplus_lr_ratio",
        "loraplus_lr_embedding",
      ],
    },
    {
      why: "words, templates and files",
      names: [
        "special_tokens special_tokens_bos_token special_tokens_eos_token special_tokens_pad_token special_tokens_unk_token",
        "special_tokens_additional_special_tokens tokens tokens_bos_token tokens_eos_token tokens_pad_token tokens_unk_token chat_template chat_template_jinja chat_template_kwargs",
        "chat_template_kwargs_* save_steps save_strategy save_total_limit save_first_step save_only_model",
        "save_safetensors save_compressed save_sliding_window",
      ],
    },
    {
      why: "numbers of adapters, and those of other methods, which are refused where they are asked for",
      names: [
        "loftq_bits loftq_config peft_layers_pattern peft_use_rslora",
        "peft_layer_replication peft_init_lora_weights peft_trainable_token_indices peft_ensure_weight_tying",
        "peft_autocast_adapter_dtype bnb_config_kwargs loraplus_lr_ratio loraplus_lr_embedding merge_lora merge_method",
        "relora relora_prune_ratio relora_prune_method relora_cpu_offload qgalore_rank",
        "qgalore_update_proj_gap qgalore_scale qgalore_proj_type qgalore_proj_quant qgalore_proj_bits",
        "qgalore_proj_group_size qgalore_cos_threshold qgalore_gamma_proj qgalore_queue_size lisa_n_layers",
        "lisa_step_interval lisa_layers_attribute quantize_embedding",
      ],
    },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "qlora_sharded_model_loading tokenizer_save_jinja_files trust_remote_code output_dir hub_model_id hub_strategy",
        "hub_revision field_output revision resume_from_checkpoint auto_resume_from_checkpoints dynamic_checkpoint",
        "num_dataset_shards_to_save push_dataset_to_hub gradient_checkpointing_kwargs selective_checkpointing",
        "saves_per_epoch load_best_model_at_end low_cpu_mem_usage save revision_of_model activation_checkpointing",
        "sync_module_states cpu_ram_efficient_loading state_dict_type final_state_dict_type",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "debug bnb_config_kwargs_*",
        "datasets_path datasets_split datasets_type datasets_shards datasets_shards_idx",
        "datasets_preprocess_shards datasets_input_transform datasets_conversation datasets_chat_template",
        "datasets_chat_template_jinja datasets_data_files datasets_input_format datasets_name",
        "datasets_ds_type datasets_field datasets_field_human datasets_field_model datasets_field_messages",
        "datasets_field_tools datasets_field_thinking datasets_template_thinking_key",
        "datasets_message_field_role datasets_message_field_content datasets_message_field_training",
        "datasets_message_field_training_detail datasets_split_thinking datasets_logprobs_field",
        "datasets_temperature datasets_roles_to_train datasets_train_on_eos datasets_train_on_eot",
        "datasets_drop_system_message datasets_trust_remote_code datasets_revision datasets_skip",
        "datasets_text_column datasets_length datasets_sequence_length datasets_min_input_id",
        "datasets_max_input_id datasets_seed datasets_step_separator datasets_max_completion_length",
        "datasets_train_on_last_step_only datasets_eval_sequence_len datasets_field_prompt",
        "datasets_field_chosen datasets_field_rejected datasets_field_completion datasets_field_label",
        "datasets_system_prompt datasets_type_field_system datasets_type_field_instruction",
        "datasets_type_field_input datasets_type_field_output datasets_type_format",
        "datasets_type_no_input_format datasets_type_system_prompt datasets_type_system_format",
        "datasets_type_field_prompt datasets_type_field_chosen datasets_type_field_rejected",
        "datasets_type_prompt_format datasets_type_chosen_format datasets_type_rejected_format",
        "datasets_type_field_completion datasets_type_field_label datasets_type_completion_format",
        "datasets_roles_* datasets_message_property_mappings_* test_datasets_path test_datasets_split",
        "test_datasets_type test_datasets_shards test_datasets_shards_idx test_datasets_preprocess_shards",
        "test_datasets_input_transform test_datasets_conversation test_datasets_chat_template",
        "test_datasets_chat_template_jinja test_datasets_data_files test_datasets_input_format",
        "test_datasets_name test_datasets_ds_type test_datasets_field test_datasets_field_human",
        "test_datasets_field_model test_datasets_field_messages test_datasets_field_tools",
        "test_datasets_field_thinking test_datasets_template_thinking_key test_datasets_message_field_role",
        "test_datasets_message_field_content test_datasets_message_field_training",
        "test_datasets_message_field_training_detail test_datasets_split_thinking",
        "test_datasets_logprobs_field test_datasets_temperature test_datasets_roles_to_train",
        "test_datasets_train_on_eos test_datasets_train_on_eot test_datasets_drop_system_message",
        "test_datasets_trust_remote_code test_datasets_revision test_datasets_skip test_datasets_text_column",
        "test_datasets_length test_datasets_sequence_length test_datasets_min_input_id",
        "test_datasets_max_input_id test_datasets_seed test_datasets_step_separator",
        "test_datasets_max_completion_length test_datasets_train_on_last_step_only",
        "test_datasets_eval_sequence_len test_datasets_field_prompt test_datasets_field_chosen",
        "test_datasets_field_rejected test_datasets_field_completion test_datasets_field_label",
        "test_datasets_system_prompt test_datasets_type_field_system test_datasets_type_field_instruction",
        "test_datasets_type_field_input test_datasets_type_field_output test_datasets_type_format",
        "test_datasets_type_no_input_format test_datasets_type_system_prompt test_datasets_type_system_format",
        "test_datasets_type_field_prompt test_datasets_type_field_chosen test_datasets_type_field_rejected",
        "test_datasets_type_prompt_format test_datasets_type_chosen_format test_datasets_type_rejected_format",
        "test_datasets_type_field_completion test_datasets_type_field_label",
        "test_datasets_type_completion_format test_datasets_roles_* test_datasets_message_property_mappings_*",
        "pretraining_dataset_path pretraining_dataset_split pretraining_dataset_type",
        "pretraining_dataset_shards pretraining_dataset_shards_idx pretraining_dataset_preprocess_shards",
        "pretraining_dataset_input_transform pretraining_dataset_conversation",
        "pretraining_dataset_chat_template pretraining_dataset_chat_template_jinja",
        "pretraining_dataset_data_files pretraining_dataset_input_format pretraining_dataset_name",
        "pretraining_dataset_ds_type pretraining_dataset_field pretraining_dataset_field_human",
        "pretraining_dataset_field_model pretraining_dataset_field_messages pretraining_dataset_field_tools",
        "pretraining_dataset_field_thinking pretraining_dataset_template_thinking_key",
        "pretraining_dataset_message_field_role pretraining_dataset_message_field_content",
        "pretraining_dataset_message_field_training pretraining_dataset_message_field_training_detail",
        "pretraining_dataset_split_thinking pretraining_dataset_logprobs_field",
        "pretraining_dataset_temperature pretraining_dataset_roles_to_train pretraining_dataset_train_on_eos",
        "pretraining_dataset_train_on_eot pretraining_dataset_drop_system_message",
        "pretraining_dataset_trust_remote_code pretraining_dataset_revision pretraining_dataset_skip",
        "pretraining_dataset_text_column pretraining_dataset_length pretraining_dataset_sequence_length",
        "pretraining_dataset_min_input_id pretraining_dataset_max_input_id pretraining_dataset_seed",
        "pretraining_dataset_step_separator pretraining_dataset_max_completion_length",
        "pretraining_dataset_train_on_last_step_only pretraining_dataset_eval_sequence_len",
        "pretraining_dataset_field_prompt pretraining_dataset_field_chosen pretraining_dataset_field_rejected",
        "pretraining_dataset_field_completion pretraining_dataset_field_label",
        "pretraining_dataset_system_prompt pretraining_dataset_type_field_system",
        "pretraining_dataset_type_field_instruction pretraining_dataset_type_field_input",
        "pretraining_dataset_type_field_output pretraining_dataset_type_format",
        "pretraining_dataset_type_no_input_format pretraining_dataset_type_system_prompt",
        "pretraining_dataset_type_system_format pretraining_dataset_type_field_prompt",
        "pretraining_dataset_type_field_chosen pretraining_dataset_type_field_rejected",
        "pretraining_dataset_type_prompt_format pretraining_dataset_type_chosen_format",
        "pretraining_dataset_type_rejected_format pretraining_dataset_type_field_completion",
        "pretraining_dataset_type_field_label pretraining_dataset_type_completion_format",
        "pretraining_dataset_roles_* pretraining_dataset_message_property_mappings_*",
        "tokenizer_config tokenizer_use_fast tokenizer_legacy tokenizer_use_mistral_common tokenizer_type bos_token",
        "eos_token pad_token unk_token additional_special_tokens system_prompt system_format field_system",
        "field_instruction field_input format no_input_format split input_transform preprocess_shards conversation",
        "data_files input_format field field_human field_model field_messages field_tools field_thinking",
        "template_thinking_key message_field_role message_field_content message_property_mappings",
        "message_field_training message_field_training_detail split_thinking roles_to_train train_on_eos train_on_eot",
        "roles drop_system_message text_column field_prompt field_chosen field_rejected prompt_format chosen_format",
        "rejected_format train_on_last_step_only field_label length sequence_length min_input_id max_input_id",
        "adaptive_max_tokens gt_length_multiplier context_length num_labels datasets shuffle_merged_datasets",
        "shuffle_before_merging_datasets dataset_prepared_path dataset_shard_num dataset_shard_idx skip_prepare_dataset",
        "pretraining_dataset dataset_processes dataset_num_proc dataset_exact_deduplication dataset_keep_in_memory",
        "dataloader_pin_memory dataloader_num_workers dataloader_prefetch_factor dataloader_drop_last",
        "remove_unused_columns hf_use_auth_token excess_length_strategy min_sample_len max_prompt_len use_pose",
        "pose_split_on_token_ids pose_max_context_len pose_num_chunks pretraining_sample_concatenation streaming",
        "streaming_multipack_buffer_size added_tokens_overrides eot_tokens default_system_message is_preprocess",
        "preprocess_iterable total_num_tokens total_supervised_tokens train_on_inputs max_packed_sequence_len",
        "data_parallel_size role image_size image_resize_algorithm role_boundaries cpu_offload_pin_memory group_size",
        "use_data_producer async_prefetch prefetch_depth streaming_partial_batch reroll_max_groups",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "processor_type recipe type name ds_type device local_rank env_capabilities check_interval",
        "dion_rank_multiple_of port loss_type",
      ],
    },
    {
      why: "what is written, logged and watched beside steps",
      names: [
        "logprobs_field precompute_ref_log_probs eval_causal_lm_metrics metric_for_best_model loss_watchdog_threshold",
        "loss_watchdog_patience logging_steps use_tensorboard profiler_steps profiler_steps_start",
        "include_tokens_per_second include_tkps use_mlflow mlflow_tracking_uri mlflow_experiment_name mlflow_run_name",
        "hf_mlflow_log_artifacts use_wandb wandb_name wandb_run_id wandb_mode wandb_project wandb_entity wandb_watch",
        "wandb_log_model use_comet comet_api_key comet_workspace comet_project_name comet_experiment_key comet_mode",
        "comet_online comet_experiment_config gradio_title gradio_share gradio_server_name gradio_server_port",
        "gradio_max_new_tokens gradio_temperature use_ray ray_run_name ray_num_workers use_otel_metrics",
        "otel_metrics_host otel_metrics_port use_trackio trackio_project_name trackio_run_name trackio_space_id",
        "log_multimodal use_swanlab swanlab_*",
      ],
    },
    {
      why: "evaluation and generation between steps",
      names: [
        "temperature generate_max_len top_p test_datasets do_causal_lm_eval do_bench_eval bench_dataset bench_split",
        "eval_sequence_len eval_sample_packing val_set_size eval_steps evals_per_epoch eval_strategy",
        "early_stopping_patience generate_samples num_generation_samples generation_max_new_tokens",
        "generation_temperature generation_top_p generation_top_k generation_prompt_ratio generation_do_sample",
        "eval_batch_size eval_table_size eval_max_new_tokens serve_module top_k min_p generation_kwargs",
      ],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: [
        "max_completion_length field_completion completion_format rl_coef advantage_estimator min_completion_prefix trl",
        "vllm ebft center_rewards_coefficient dpo_use_weighting dpo_label_smoothing dpo_use_liger_kernel",
        "dpo_padding_free dpo_loss_type dpo_loss_weights curriculum_sampling chunked_cross_entropy",
        "chunked_cross_entropy_num_chunks use_eaft eaft_alpha eaft_k orpo_alpha simpo_gamma cpo_alpha",
        "kto_desirable_weight kto_undesirable_weight rl_beta cosine_min_lr_ratio adam_epsilon dpo_beta",
        "dpo_use_logits_to_keep dpo_generate_during_eval dpo_norm_loss rpo_alpha beta use_vllm vllm_mode",
        "vllm_server_host vllm_server_port vllm_server_timeout vllm_guided_decoding_regex reward_funcs reward_weights",
        "generation_batch_size num_generations log_completions importance_sampling_level sync_ref_model",
        "ref_model_mixup_alpha ref_model_sync_steps scale_rewards repetition_penalty num_iterations epsilon",
        "epsilon_high mask_truncated_completions entropy_coef use_adaptive_entropy entropy_target entropy_coef_delta",
        "entropy_coef_min entropy_coef_max vllm_importance_sampling_clip_min vllm_importance_sampling_clip_max",
        "vllm_enable_sleep_mode rollout_func vllm_sync_interval streaming_min_groups",
        "vllm_importance_sampling_correction vllm_importance_sampling_mode vllm_importance_sampling_cap",
        "off_policy_mask_threshold use_bias_correction_kl reward_num_workers replay_buffer_size replay_recompute_logps",
        "skip_zero_advantage_batches vllm_lora_sync",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: [
        "adam_eps eta_min base_model_ignore_patterns test_value accelerator_config_* seed n_samples_per_prompt torch_empty_cache_steps gc_collect_steps max_steps warmup_steps warmup_ratio",
        "neftune_noise_alpha lr learning_rate embedding_lr embedding_lr_scale weight_decay lr_scheduler",
        "lr_scheduler_kwargs lr_quadratic_warmup cosine_constant_lr_ratio lr_div_factor lr_groups adam_epsilon2",
        "adam_beta1 adam_beta2 adam_beta3 dion_lr dion_momentum dion_rank_fraction max_grad_norm num_epochs",
        "jagged_restart_steps jagged_restart_warmup_steps jagged_restart_anneal_steps fake_quant_after_n_steps",
        "reroll_start_fraction",
      ],
    },
  ],
  partly: deepspeed_partly + [
    {
      why: "numbers of other methods and of formats of the model's files, whose effect is not followed",
      but: ["false"],
      names: ["gptq_* peft_loftq_* model_quantization_config_* flex_attn_compile_kwargs_*"],
    },
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "communication_data_type compile_* tensor_parallel_* attn_implementation",
        "flash_attention sdp_attention xformers_attention eager_attention flex_attention* sage_attention",
        "s2_attention torch_compile* deepcompile liger_* tiled_mlp_* overrides_of_model_*",
        "unfrozen_parameters fp32_*",
      ],
    },
    { why: "layers' weights stay on the device here", but: ["false"], names: ["layer_offloading"] },
    { why: "experts' weights are held as the others are", but: ["false"], names: ["quantize_moe_experts"] },
    {
      why: "units by size, and formats of their own, are not followed: units are layers, in bf16 with sums in fp32",
      but: ["TRANSFORMER_BASED_WRAP", "none"],
      names: ["fsdp_auto_wrap_policy fsdp_min_num_params fsdp_mixed_precision_policy fsdp_mixed_precision"],
    },
    {
      why: "adapters have one rank here, and their products no kernels of their own",
      but: ["false"],
      names: ["lora_rank_pattern lora_rank_pattern_* lora_mlp_kernel lora_qkv_kernel lora_o_kernel lora_embedding_kernel"],
    },
    {
      why: "buckets, kernels of FlashAttention's package and scales of softmax are not followed: the plan has the profile's",
      but: ["false"],
      names: [
        "ddp_bucket_cap_mb flash_attn_cross_entropy flash_attn_rms_norm flash_attn_fuse_mlp flash_attn_fuse_qkv flash_attn_d512",
        "scaling_softmax scaling_softmax_factor scaling_softmax_bias",
      ],
    },
    {
      why: "products in fp8 are not followed: the plan has them in bf16",
      but: ["false"],
      names: ["fp8 fp8_enable_fsdp_float8_all_gather"],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "use_scattermoe use_sonicmoe dsv4_fp4_grouped_mode use_dsv4_kernels use_glm_dsa_kernels expert_parallel_num_nvl_bytes expert_parallel_token_capacity expert_parallel_size full_finetune model_config_* peft base_model_config cls_model_config processor_kwargs model_quantization_config",
        "model_quantization_config_kwargs use_onebitllms path shards shards_idx skip step_separator feature_layers",
        "embed_method use_whitening alignment_coef diversity_coef ce_coef mode stride trainer_cls accelerator_config",
        "world_size greater_is_better fp8_config freeze_mm_modules pretrain_multipack_buffer_size",
        "pretrain_multipack_attn flex_attn_compile_kwargs flash_optimum gemma4_hybrid_attn_impl large_head_attention",
        "sdpa_varlen fused_attn_kernel experts_implementation ple_cpu_offload deepspeed axolotl_config_path",
        "is_falcon_derived_model is_llama_derived_model is_mistral_derived_model is_qwen_derived_model capabilities",
        "enabled trigger_file_path modules recompute_layer_types offload batch_size auto_find_batch_size optim_args",
        "optim_target_modules torchdistx_path evaluation_strategy gpu_memory_utilization dtype max_model_len",
        "enable_prefix_caching enable_reasoning reasoning_parser enforce_eager worker_extension_cls",
        "resources_per_worker start end include_start include_end offload_params use_orig_params auto_wrap_policy",
        "transformer_layer_cls_to_wrap min_num_params reshard_after_forward mixed_precision_policy activation_dtype",
        "weight_dtype num_completions_to_print use_liger_loss multi_objective_aggregation",
      ],
    },
  ],
  refused: deepspeed_refused + [
    {
      why: "of adapters LoRA and its kin have a plan here",
      but: ["none", "", "lora", "qlora", "dora", "false"],
      names: ["adapter"],
    },
    {
      why: "weights in few bits that are trained, or come from files, have no plan here yet",
      but: ["false"],
      names: ["gptq qat qat_* quantization quantization_*"],
    },
    {
      why: "models that take noise away, and weights of zeros, have no plan here yet",
      names: ["diffusion diffusion_* llmcompressor llmcompressor_*"],
    },
    {
      why: "these are settings of a cloud that starts jobs, not of a job: give the job's own file",
      names: ["provider dockerfile_commands"],
    },
    {
      why: "adapters beside weights in FP4 have no plan here yet",
      but: ["false"],
      names: ["nvfp4_merge_aware"],
    },
    {
      why: "steps of reinforcement learning and preferences have no plan here yet",
      names: ["rl reward_model process_reward_model trl_* ebft_*"],
    },
  ],
}
