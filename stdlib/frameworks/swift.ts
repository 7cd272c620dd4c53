// ms-swift's jobs as plans: `megatron sft` and `megatron pt`, and `swift sft` and `swift pt` over Hugging Face's trainer,
// with arguments, in a script or a file of YAML (modelscope/ms-swift, swift/megatron/arguments and swift/arguments,
// August 2026). The model is Hugging Face's by name. Samples of `swift` are up to as long as the model takes unless
// `max_length` is said; here they are 2,048 words, as of its Megatron jobs.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.nvidia, std.frameworks.megatron_core, std.frameworks.torch, std.frameworks.optimizers,
  std.frameworks.deepspeed_keys

record SwiftArguments {
  gpus: Int
  gpu: String
  program: String = "megatron"
  task: String = "sft"
  nproc_per_node: Int = 0
  nnodes: Int = 1
  launch_nproc_per_node: Int = 0
  launch_nnodes: Int = 1
  launch_num_processes: Int = 0
  launch_num_gpus: Int = 0
  model: String = ""
  model_config: String = ""
  max_length: Int = 2048
  micro_batch_size: Int = 1
  global_batch_size: Int = 16
  tensor_model_parallel_size: Int = 1
  pipeline_model_parallel_size: Int = 1
  context_parallel_size: Int = 1
  cp_comm_type: String = "p2p"
  expert_model_parallel_size: Int = 1
  expert_tensor_parallel_size: Int = 1
  virtual_pipeline_model_parallel_size: Int = 1
  decoder_first_pipeline_num_layers: Int = 0
  decoder_last_pipeline_num_layers: Int = 0
  use_distributed_optimizer: Bool = true
  recompute_granularity: String = "selective"
  recompute_modules: List[String] = ["core_attn"]
  fp8_format: String = ""
  fp8_recipe: String = "delayed"
  fp16: Bool = false
  cross_entropy_loss_fusion: Bool = true
  optimizer_cpu_offload: Bool = false
  use_precision_aware_optimizer: Bool = false
  exp_avg_dtype: String = "fp32"
  exp_avg_sq_dtype: String = "fp32"
  main_grads_dtype: String = "fp32"
  main_params_dtype: String = "fp32"
  overlap_grad_reduce: Bool = false
  tp_comm_overlap: Bool = false
  mtp_num_layers: Int = 0
  // of the trainer of Hugging Face
  per_device_train_batch_size: Int = 1
  gradient_accumulation_steps: Int = 0 // 0: as many as a step of 16 samples takes
  gradient_checkpointing: Bool = true
  torch_dtype: String = "bfloat16"
  optim: String = "adamw_torch_fused"
  optimizer_type: String = "" // of DeepSpeed's file, before it
  sequence_parallel_size: Int = 1
  deepspeed_autotp_size: Int = 1
  fsdp: String = ""
  zero_optimization_stage: Int = 0
  zero_optimization_overlap_comm: Bool = true
  zero_optimization_offload_optimizer_device: String = "none"
  quant_bits: Int = 16
  bnb_4bit_use_double_quant: Bool = true
  tuner_type: String = "" // "full" of Megatron's jobs, "lora" of the trainer's
  train_type: String = ""
  lora_rank: Int = 8
  lora_dropout: Real = 0.05
  target_modules: List[String] = ["all-linear"]
  modules_to_save: List[String] = []
  use_dora: Bool = false
  use_liger_kernel: Bool = false
}
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])
fn _kind(a: SwiftArguments) -> String =
  if a.tuner_type != "" then a.tuner_type else if a.train_type != "" then a.train_type else if a.program == "megatron" then "full"
  else "lora"
fn _tuned(a: SwiftArguments, megatron: Bool) -> Tuning = if _kind(a) == "full" then {} else {
  method: "lora",
  rank: a.lora_rank,
  targets: a.target_modules,
  saved: a.modules_to_save,
  experts: megatron,
  packed: megatron,
  dropped: a.lora_dropout > 0,
  decomposed: a.use_dora,
  stored: if megatron then none else job_stored(a.quant_bits < 8, a.quant_bits == 8, a.bnb_4bit_use_double_quant),
}
fn swift_job(a: SwiftArguments) -> Job = if not _is(a.task, ["sft", "pt"]) then refuse(
  "`" + a.program + " " + a.task + "` has no plan here yet: sft and pt are followed",
) else if a.program == "megatron" then _job(a, hf_config(a.model_config, a.model, "model")) else if a.program == "swift" then _trained(
  a,
  hf_config(a.model_config, a.model, "model"),
  max(1, a.nproc_per_node * a.nnodes, a.launch_nproc_per_node * a.launch_nnodes, a.launch_num_processes, a.launch_num_gpus),
) else refuse("`" + a.program + "` is no program of ms-swift's: give `swift sft` or `megatron sft`")
// Without a launcher it is one process.
fn _trained(a: SwiftArguments, config: Record, launched: Int) -> Job = {
  gpus: a.gpus,
  launched: launched,
  gpu: a.gpu,
  framework: if a.fsdp != "" then torchtitan with { name = "ms-swift", loss = "copied", attention = "flash2" } else deepspeed with {
    name = "ms-swift"
    overlap = a.zero_optimization_overlap_comm
  },
  config: config,
  text: true, // towers and what joins them are frozen, or small
  seq: a.max_length,
  micro: a.per_device_train_batch_size,
  accumulate: if a.gradient_accumulation_steps > 0 then a.gradient_accumulation_steps else max(
    1,
    ceil_div(16, a.per_device_train_batch_size * max(launched, a.gpus)),
  ),
  tp: a.deepspeed_autotp_size,
  cp: a.sequence_parallel_size,
  heads: true,
  sharding: if a.fsdp != "" then "fsdp" else match a.zero_optimization_stage {
    0 -> "ddp"
    1 -> "zero1"
    2 -> "zero2"
    _ -> "fsdp"
  },
  again: if a.gradient_checkpointing then framework_recompute("full") else none,
  tiled: if a.use_liger_kernel then "loss" else "",
  half: if a.fp16 or _is(a.torch_dtype, ["float16", "fp16"]) then fp16 else bf16,
  optimizer: optimizer_named(if a.optimizer_type != "" then a.optimizer_type else a.optim),
  on_host: a.zero_optimization_offload_optimizer_device == "cpu",
  tuned: _tuned(a, false),
}
fn _job(a: SwiftArguments, config: Record) -> Job = {
  gpus: a.gpus,
  launched: a.nproc_per_node * a.nnodes,
  gpu: a.gpu,
  framework: megatron_core with {
    overlap = a.overlap_grad_reduce
    tensor = if a.tp_comm_overlap then "ring" else "stream"
    loss = if a.cross_entropy_loss_fusion then "fused" else "apart"
    gradients = core_gradients(false, a.main_grads_dtype)
  },
  config: config,
  text: true, // towers and what joins them are frozen, or small
  seq: a.max_length,
  mtp: a.mtp_num_layers > 0,
  micro: a.micro_batch_size,
  global: a.global_batch_size,
  tp: a.tensor_model_parallel_size,
  cp: a.context_parallel_size,
  heads: a.cp_comm_type == "a2a",
  ep: a.expert_model_parallel_size * a.expert_tensor_parallel_size,
  pp: a.pipeline_model_parallel_size,
  chunks: a.virtual_pipeline_model_parallel_size,
  sizes: core_sizes(
    a.pipeline_model_parallel_size,
    a.decoder_first_pipeline_num_layers,
    a.decoder_last_pipeline_num_layers,
    core_layers(config),
  ),
  sharding: if a.use_distributed_optimizer then "zero1" else "ddp",
  again: core_again(a.recompute_granularity, a.recompute_modules),
  recipe: core_recipe(a.fp8_format != "", a.fp8_recipe),
  half: if a.fp16 then fp16 else bf16,
  on_host: a.optimizer_cpu_offload,
  optimizer: core_adam(
    a.use_precision_aware_optimizer,
    a.exp_avg_dtype,
    a.exp_avg_sq_dtype,
    a.main_params_dtype,
    if a.fp8_format == "" then "" else a.fp8_recipe,
  ),
  tuned: _tuned(a, true),
}

let command_line = {
  about: "A job of ms-swift's: `trainspec import swift` wrote it.",
  arguments: "SwiftArguments",
  gpu: "h100",
  gpus: "0",
  files: ["sh yaml json"],
  words: ["program", "task"],
  open: ["auto none null None"],
  reads: ["deepspeed config"],
  named: job_stages,
  prefixes: [ // of its second release
    { given: "sft_type", as: "tuner_type" },
    { given: "model_id_or_path", as: "model" },
    { given: "lora_target_modules", as: "target_modules" },
    { given: "lora_dropout_p", as: "lora_dropout" },
    { given: "quantization_bit", as: "quant_bits" },
    { given: "batch_size", as: "per_device_train_batch_size" },
    { given: "dtype", as: "torch_dtype" },
  ],
  plan: job_plan("swift_job", tuned: true),
  harmless: deepspeed_harmless + [
    { why: "towers are left out here", names: ["language_model_only"] },
    {
      why: "DeepSpeed's buckets and numbers, as its profile has them",
      names: [
        "gradient_clipping gradient_predivide_factor prescale_gradients steps_per_print wall_clock_breakdown memory_breakdown zero_allow_untested_optimizer zero_force_ds_cpu_optimizer train_batch_size train_micro_batch_size_per_gpu",
      ],
    },
    {
      why: "of Hugging Face's trainer: numbers, and what is written, checked and saved beside steps",
      names: [
        "warmup_ratio warmup_steps per_device_eval_batch_size eval_batch_size save_only_model only_save_model dataloader_drop_last router_aux_loss_coef label_names max_steps max_epochs lr_scheduler_type lr_scheduler_kwargs max_grad_norm neftune_noise_alpha ddp_find_unused_parameters early_stop_interval predict_with_generate logging_dir logging_first_step run_name acc_strategy adam_epsilon overwrite_output_dir resume_from_checkpoint resume_only_model adapters load_best_model_at_end eval_metric eval_use_evalscope eval_accumulation_steps ddp_find_unused_parameters use_flash_ckpt gradient_checkpointing_kwargs gradient_checkpointing_kwargs_use_reentrant average_tokens_across_devices include_num_input_tokens_seen eval_on_start torch_empty_cache_steps template_type check_dataset_strategy use_flash_attn custom_train_dataset_path custom_val_dataset_path train_dataset_sample dataset_test_ratio preprocess_num_proc self_cognition_sample model_cache_dir model_id ds3_gather_for_generation bnb_4bit_comp_dtype max_pixels nframes image_factor video_max_pixels video_min_pixels video_total_pixels fps_min_frames fps_max_frames fps image_min_pixels tie_word_embeddings bf16",
      ],
    },
    {
      why: "as the profile of Megatron-Core has it",
      names: [
        "sequence_parallel recompute_method recompute_num_layers moe_grouped_gemm moe_permute_fusion bf16 attention_backend attn_impl cross_entropy_fusion_impl masked_softmax_fusion bias_dropout_fusion bias_activation_fusion apply_rope_fusion gradient_accumulation_fusion overlap_param_gather align_grad_reduce align_param_gather moe_router_dtype moe_router_load_balancing_type moe_token_drop_policy packing padding_free packing_length packing_num_proc attention_softmax_in_fp32 accumulate_allreduce_grads_in_fp32 manual_gc manual_gc_steps calculate_per_token_loss te_rng_tracker use_cpu_initialization data_parallel_random_init apply_query_key_layer_scaling overlap_p2p_comm batch_p2p_comm microbatch_group_size_per_vp_stage mtp_loss_scaling_factor mtp_shared_weights norm_bbox max_pixels aligner_lr vit_lr vit_attn_impl vit_gradient_checkpointing use_hf rope_scaling is_binary_loss_scale no_save_optim no_save_rng no_load_optim no_load_rng train_iters save eval_iters mlp_padding_free wandb_exp_name account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split nccl_comm_warmup ddp_timeout task_type num_labels problem_type model_type model_revision model_kwargs model_author model_name is_multimodal padding_side sequence_packing_scheduler load_args cuda_device_max_connections",
      ],
    },
    {
      why: "what is written, logged and watched beside steps",
      names: [
        "studio_title verbose logprobs top_logprobs log_interval log_level max_logprobs metric swanlab_token",
        "swanlab_project swanlab_workspace swanlab_exp_name swanlab_notification_method swanlab_webhook_url",
        "swanlab_secret swanlab_sender_email swanlab_receiver_email swanlab_smtp_server swanlab_smtp_port",
        "swanlab_email_language swanlab_mode use_ray wandb_log_unique_prompts metric_for_best_model report_to",
        "logging_steps tensorboard_dir tensorboard_queue_size wandb_project",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "lang external_plugins custom_register_path enable_npu_model_patch ddp_backend ignore_args_error strict",
        "local_repo_path disable_ignore_empty_think port api_key served_model_name exist_ok loss_type sampler_type",
        "override_exist_file easy_query_threshold server_name server_port local_rank fp8_amax_compute_algo fp4_recipe",
        "check_model callbacks",
      ],
    },
    {
      why: "numbers of adapters, and those of other methods, which are refused where they are asked for",
      names: [
        "tuner_backend use_swift_lora hqq_axis bnb_4bit_compute_dtype bnb_4bit_quant_type",
        "bnb_4bit_quant_storage quant_n_samples quant_batch_size merge_lora",
        "target_regex target_parameters lora_alpha lora_bias lora_dtype",
        "lorap_lr_ratio use_rslora lora_ga_batch_size lora_ga_iters lora_ga_max_length lora_ga_direction",
        "lora_ga_scale lora_ga_stable_gamma init_weights fourier_n_frequency fourier_scaling boft_block_size",
        "boft_block_num boft_n_butterfly_factor boft_dropout vera_rank vera_projection_prng_key vera_dropout",
        "vera_d_initial adapter_act adapter_length adalora_target_r adalora_init_r adalora_tinit adalora_tfinal",
        "adalora_beta1 adalora_beta2 adalora_orth_reg_weight llamapro_num_new_blocks llamapro_num_groups reft_layer_key",
        "reft_layers reft_rank reft_intervention_type reft_args",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: [
        "seed data_seed loss_scale label_smoothing learning_rate num_train_epochs lr_warmup_init lr lr_decay_style",
        "lr_decay_iters lr_warmup_iters lr_warmup_fraction min_lr lr_wsd_decay_style lr_wsd_decay_iters weight_decay",
        "weight_decay_incr_style start_weight_decay end_weight_decay clip_grad adam_beta1 adam_beta2 adam_eps",
        "sgd_momentum muon_momentum muon_split_qkv muon_use_nesterov muon_scale_mode muon_fp32_matmul_prec",
        "muon_coefficient_type muon_num_ns_steps muon_tp_mode muon_extra_scale_factor muon_scalar_optimizer",
        "moe_aux_loss_coeff moe_z_loss_coeff",
      ],
    },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "load_data_args hub_token load_from_cache_file download_mode structured_outputs_regex device_map",
        "eval_output_dir output_dir to_mcore to_hf mcore_model test_convert_precision test_convert_dtype",
        "save_missing_weights push_to_hub hub_model_id hub_private_repo safe_serialization max_shard_size output_file",
        "resume create_checkpoint_symlink save_steps finetune async_save save_total_limit use_persistent_ckpt_worker",
        "dist_ckpt_save_pre_mcore_014 dist_ckpt_optim_fully_reshardable bridge_backend save_safetensors",
        "vit_gradient_checkpointing_kwargs save_strategy",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "dataset cached_dataset split_dataset_ratio dataset_num_proc dataset_shuffle streaming interleave_prob",
        "shuffle_buffer_size columns remove_unused_columns disable_auto_column_mapping custom_dataset_info",
        "new_special_tokens template system truncation_strategy agent_template use_chat_template template_backend",
        "enable_thinking preserve_thinking add_non_thinking_prefix local_dataset group_size to_cached_dataset",
        "template_mode commit_message to_peft_format data_range cache_files add_version soft_max_length",
        "train_dataloader_shuffle dataloader_num_workers dataloader_pin_memory dataloader_persistent_workers",
        "dataloader_prefetch_factor data_sharding group_by_length data_parallel_sharding_strategy fp8_amax_history_len",
        "fp4_format mtp_decoder_input_detach",
      ],
    },
    {
      why: "evaluation and generation between steps",
      names: [
        "val_dataset cached_val_dataset val_dataset_shuffle max_new_tokens temperature top_k top_p num_beams stop_words",
        "eval_dataset eval_limit eval_dataset_args eval_generation_config eval_backend eval_num_proc extra_eval_args",
        "eval_url infer_backend val_dataset_sample eval_strategy async_generate manual_gc_eval eval_steps",
      ],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: [
        "repetition_penalty response_prefix vllm_use_async_engine use_gym_env multi_turn_scheduler vllm_enable_lora",
        "vllm_max_lora_rank gym_env lmdeploy_tp lmdeploy_session_len lmdeploy_cache_max_entry_count",
        "lmdeploy_quant_policy lmdeploy_vision_batch_size sglang_tp_size sglang_pp_size sglang_dp_size sglang_ep_size",
        "sglang_enable_ep_moe sglang_mem_fraction_static sglang_context_length sglang_disable_cuda_graph",
        "sglang_quantization sglang_kv_cache_dtype sglang_enable_dp_attention sglang_disable_custom_all_reduce",
        "sglang_speculative_algorithm sglang_speculative_num_steps sglang_speculative_eagle_topk",
        "sglang_speculative_num_draft_tokens reward_model reward_adapters reward_model_type reward_model_revision",
        "reward_template teacher_model teacher_adapters teacher_model_type teacher_model_revision teacher_deepspeed",
        "teacher_model_server offload_teacher_model num_ppo_epochs whiten_rewards kl_coef cliprange vf_coef",
        "cliprange_value gamma lam num_mini_batches local_rollout_forward_batch_size num_sample_generations",
        "response_length missing_eos_penalty num_generations reward_funcs reward_weights log_completions num_iterations",
        "ref_model ref_adapters ref_model_type ref_model_revision beta max_completion_length rpo_alpha ld_alpha",
        "discopop_tau loss_weights cpo_alpha simpo_gamma desirable_weight undesirable_weight center_rewards_coefficient",
        "sft_alpha lmbda seq_kd gkd_logits_topk prm_model orm_model prm_threshold mcore_ref_model reference_free",
        "f_divergence_type _teacher_use_disable_adapter teacher_tag_key teacher_kl_coef generation_batch_size",
        "steps_per_generation num_generations_eval importance_sampling_level tau_pos tau_neg real_tau fipo_decay_rate",
        "fipo_clip_range fipo_clip_high_only fipo_safety_threshold epsilon epsilon_high delta use_vllm vllm_mode",
        "vllm_enable_prefix_caching vllm_gpu_memory_utilization vllm_tensor_parallel_size vllm_max_model_len",
        "vllm_enforce_eager vllm_limit_mm_per_prompt vllm_disable_cascade_attn vllm_max_num_seqs",
        "vllm_mm_processor_cache_gb vllm_engine_kwargs vllm_server_base_url vllm_server_host vllm_server_port",
        "vllm_server_timeout vllm_server_group_port cosine_min_len_value_wrong cosine_max_len_value_wrong",
        "cosine_min_len_value_correct cosine_max_len_value_correct cosine_max_len repetition_n_grams",
        "repetition_max_penalty soft_cache_length dynamic_sample max_resample_times overlong_filter scale_rewards",
        "advantage_estimator kl_in_reward rollout_importance_sampling_mode rollout_importance_sampling_threshold",
        "log_rollout_offpolicy_metrics off_policy_sequence_mask_delta log_entropy top_entropy_quantile",
        "router_replay_mode reward_model_plugin sync_ref_model ref_model_sync_steps ref_model_mixup_alpha",
        "completion_length_limit_scope vllm_server_pass_dataset enable_dft_loss",
      ],
    },
  ],
  partly: deepspeed_partly + [
    { why: "kernels of other libraries are priced as PyTorch's", but: ["false"], names: ["use_liger_kernel use_logits_to_keep"] },
    {
      why: "weights of matrices are in bf16 here where they lie on the host, and come as the optimizer's do",
      but: ["none"],
      names: ["zero_optimization_offload_param_device"],
    },
    { why: "weights that are read in other formats than of bitsandbytes are priced as its", but: ["bnb"], names: ["quant_method"] },
    {
      why: "shared experts and weight gradients are computed one after the other here",
      but: ["false"],
      names: ["moe_shared_expert_overlap delay_wgrad_compute overlap_moe_expert_parallel_comm"],
    },
    { why: "no token is dropped here", names: ["moe_expert_capacity_factor moe_pad_expert_input_to_capacity"] },
    {
      why: "tokens go to experts by an all-to-all here",
      but: ["alltoall", "false"],
      names: ["moe_token_dispatcher_type moe_enable_deepep"],
    },
    {
      why: "weights are kept and gathered in 16 bits here",
      but: ["false"],
      names: ["fp8_param_gather"],
    },
    {
      why: "towers of pictures are left out here: of models of pictures and words the one of words is played",
      names: ["freeze_vit freeze_aligner"],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "base_url stream packing_strategy lazy_tokenize stopping_strategy experts_impl max_memory",
        "max_model_len init_strategy ssl_keyfile ssl_certfile owned_by max_turns context_manager",
        "to_ollama mcore_adapter thread_count result_path write_batch_size max_batch_size reranker_use_activation",
        "sampler_engine num_return_sequences num_sampling_batch_size num_sampling_batches n_best_to_keep engine_kwargs",
        "zero_hpz_partition_size freeze_parameters freeze_parameters_regex",
        "trainable_parameters trainable_parameters_regex share mcore_ref_adapter sleep_level offload_optimizer",
        "offload_model offload_bridge move_model_batches optimizer_cuda_graph perform_initialization greater_is_better",
        "distrib_optim_fully_reshardable_mem_efficient use_megatron_fsdp cp_partition_mode",
        "overlap_param_gather_with_optimizer_step pipeline_model_parallel_layout fp4_param_gather moe_layer_recompute",
        "dsa_indexer_loss_coeff dsa_indexer_use_sparse_loss apply_dsa_kernel_fusion csa_dense_mode use_fused_mhc",
        "mhc_recompute_layer_num megatron_extra_kwargs apply_wd_to_qk_layernorm linear_decoupled_in_proj",
        "enable_channel_loss mrl_dims skip_megatron_init",
      ],
    },
  ],
  refused: deepspeed_refused + [
    { why: "of adapters LoRA has a plan here", but: ["full", "lora"], names: ["tuner_type train_type"] },
    {
      why: "the optimizer has no record here: Adam and AdamW are followed",
      but: ["adam", "adamw", "lorap", "multimodal"],
      names: ["optimizer"],
    },
    {
      why: "updates of a part of the weights, or through projections, have no plan here yet",
      but: ["false", "0"],
      names: ["use_galore galore_* lisa_activated_layers"],
    },
    {
      why: "the model is trained for another task than the next word, which has no plan here yet",
      but: ["causal_lm"],
      names: ["task_type"],
    },
    { why: "a part of the model that is frozen has no plan here yet", but: ["false", "0"], names: ["freeze_llm freeze_parameters_ratio"] },
    { why: "steps of reinforcement learning and preferences have no plan here yet", names: ["rlhf_type"] },
    { why: "an optimizer of which a part is on the host has no plan here yet", but: ["1", "1.0"], names: ["optimizer_offload_fraction"] },
  ],
}
