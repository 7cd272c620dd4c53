// Arguments of Megatron-LM's parser (megatron/training/arguments.py, core_v0.7.0 to August 2026) that
// MegatronArguments has no field for, by what becomes of them. Each name stands in one list;
// a text holds several, with a blank between.

// Without effect on a step, and why.
let megatron_harmless = [
  {
    why: "Messages go on beside work here, in warm-up and flush, too.",
    names: ["overlap_p2p_communication_warmup_flush"],
  },
  {
    why: "The step that is played has the whole `--global-batch-size`.",
    names: [
      "decrease_batch_size_if_needed rampup_batch_size step_batch_size_schedule",
    ],
  },
  {
    why: "Weights of gradients and losses are numbers: their kernels are there anyway.",
    names: [
      "adam_beta1 adam_beta2 adam_eps apply_layernorm_1p apply_wd_to_qk_layernorm calculate_per_token_loss",
      "ddp_average_in_collective decoupled_lr decoupled_min_lr end_weight_decay eod_mask_loss fp8_amax_compute_algo",
      "fp8_amax_history_len fp8_interval fp8_margin hysteresis initial_loss_scale lion_beta1 lion_beta2 loss_scale",
      "loss_scale_window lr lr_decay_iters lr_decay_samples lr_decay_style lr_warmup_fraction lr_warmup_init",
      "lr_warmup_iters lr_warmup_samples lr_wsd_decay_iters lr_wsd_decay_samples lr_wsd_decay_style mask_prob",
      "min_loss_scale min_lr use_mup mup_attn_scale_power mup_base_head_dim mup_base_hidden_size mup_embedding_mult",
      "mup_output_mult mup_width_mult moe_aux_loss_coeff moe_input_jitter_eps moe_router_bias_update_rate",
      "moe_router_enable_expert_bias moe_router_force_biased moe_router_force_load_balancing moe_router_fusion",
      "moe_router_group_topk moe_router_num_groups moe_router_pre_softmax moe_router_quantile_balancing_ema",
      "moe_router_score_function moe_router_topk_scaling_factor moe_z_loss_coeff mscale mscale_all_dim",
      "mtp_loss_scaling_factor muon_coefficient_type muon_extra_scale_factor muon_fp32_matmul_prec muon_momentum",
      "muon_nesterov muon_no_split_qkv muon_num_ns_steps muon_scalar_optimizer muon_scale_mode muon_tp_mode",
      "muon_use_nesterov muon_use_syrk no_weight_decay_cond_type no_yarn_correction_range_round_to_int norm_epsilon",
      "override_opt_param_scheduler reset_attention_mask reset_position_ids rope_scaling_factor rope_type rotary_base",
      "rotary_interleaved rotary_percent rotary_scaling_factor rotary_seq_len_interpolation_factor sgd_momentum",
      "short_seq_prob start_weight_decay train_sync_interval use_checkpoint_opt_param_scheduler use_rope_scaling",
      "weight_decay weight_decay_incr_style yarn_beta_fast yarn_beta_slow yarn_correction_range_round_to_int",
      "yarn_original_max_position_embeddings",
    ],
  },
  {
    why: "Weights begin with other values.",
    names: [
      "data_parallel_random_init embedding_init_method_std inference_rng_tracker init_method_std",
      "init_method_xavier_uniform lazy_mpu_init moe_upcycling_granularity no_initialization seed te_rng_tracker",
      "use_cpu_initialization use_same_sampling_seed_across_dp_ranks",
    ],
  },
  {
    why: "Data are read beside the step.",
    names: [
      "allow_ambiguous_pad_tokens chat_template data_args_path data_cache_path data_path",
      "dataloader_defer_npy_index_mmap dataloader_fast_cache_load dataloader_type disable_msc",
      "disable_save_tokenizer_assets disable_tokenizer_sentencepiece_ignore_extra_whitespaces",
      "disable_use_tokenizer_model_from_checkpoint_args enable_msc fim_data fim_eod_token fim_fragment_rate",
      "fim_middle_token fim_no_prefix fim_pad_token fim_prefix_token fim_rate fim_split_sample fim_spm_rate",
      "fim_suffix_token full_validation legacy_tokenizer merge_file mid_level_dataset_surplus mock_data",
      "multiple_validation_sets no_data_sharding no_mmap_bin_files no_save_tokenizer_assets",
      "no_tokenizer_sentencepiece_ignore_extra_whitespaces no_use_tokenizer_model_from_checkpoint_args",
      "null_tokenizer_eod_id null_tokenizer_pad_id num_dataset_builder_threads num_workers object_storage_cache_path",
      "per_dataset_sequences_path per_split_data_args_path phase_transition_iterations renormalize_blend_weights",
      "s3_cache_path sft_tokenizer_prompt_format split test_data_path tiktoken_num_special_tokens tiktoken_pattern",
      "tiktoken_special_tokens tokenizer_hf_include_special_tokens tokenizer_hf_no_include_special_tokens",
      "tokenizer_hf_no_use_fast tokenizer_hf_use_fast tokenizer_metadata tokenizer_sentencepiece_legacy",
      "tokenizer_special_tokens train_data_path trust_remote_code use_gigatoken valid_data_path validation_set_names",
      "vocab_file",
    ],
  },
  {
    why: "Checkpoints are no part of a step.",
    names: [
      "async_ckpt_cpu_priority async_ckpt_io_priority async_ckpt_use_cpu_shm async_save async_strategy",
      "auto_detect_ckpt_format ckpt_assume_constant_structure ckpt_convert_format ckpt_convert_save",
      "ckpt_convert_update_legacy_dist_opt_format ckpt_drop_redundant_extra_state ckpt_format ckpt_fully_parallel_load",
      "ckpt_fully_parallel_load_exchange_algo ckpt_fully_parallel_load_per_rank_objects",
      "ckpt_fully_parallel_load_process_group ckpt_fully_parallel_save ckpt_fully_parallel_save_process_group",
      "ckpt_pg_tensors_cache_create ckpt_pg_tensors_cache_path ckpt_step disable_ckpt_fully_parallel_save",
      "disable_ckpt_load_validate_sharding_integrity disable_stream_ckpt_dequant disable_strict_fsdp_dtensor_load",
      "dist_ckpt_format dist_ckpt_optim_fully_reshardable dist_ckpt_save_pre_mcore_014 dist_ckpt_strictness",
      "dist_ckpt_workers distrib_optim_fully_reshardable_mem_efficient exit_on_missing_checkpoint finetune load",
      "load_main_params_from_ckpt load_model_opt_format logits_save_dir logits_save_dtype logits_save_top_k",
      "logits_save_top_p logits_save_top_p_min_k no_ckpt_fully_parallel_save no_ckpt_load_validate_sharding_integrity",
      "no_load_optim no_load_rng no_save_optim no_save_rng no_stream_ckpt_dequant no_strict_fsdp_dtensor_load",
      "non_persistent_ckpt_type non_persistent_global_ckpt_dir non_persistent_local_ckpt_algo",
      "non_persistent_local_ckpt_dir non_persistent_save_interval override_ckpt_iteration persistent_save_interval",
      "pretrained_checkpoint replication replication_factor replication_jump save save_activations_interval",
      "save_dgrads_interval save_interval save_params_interval save_retain_interval save_tokens_per_expert_interval",
      "save_wgrads_interval use_checkpoint_args use_dist_ckpt use_mp_args_from_checkpoint_args",
      "use_persistent_ckpt_worker verify_integrity",
    ],
  },
  {
    why: "They say when a run begins, ends and is looked at, between steps.",
    names: [
      "adlr_autoresume adlr_autoresume_interval disable_manual_gc_eval eval_global_batch_size eval_interval eval_iters",
      "eval_micro_batch_size exit_duration_in_mins exit_interval exit_signal exit_signal_handler",
      "exit_signal_handler_for_dataloader exit_signal_handler_for_training iterations_to_skip manual_gc",
      "manual_gc_interval no_manual_gc_eval result_rejected_tracker_filename skip_train start_eval_at_iter test_mode",
      "train_iters train_samples",
    ],
  },
  {
    why: "What is printed, recorded and watched is no part of a step.",
    names: [
      "app_tag_run_name app_tag_run_version config_logger_dir disable_flight_recorder_dump_on_timeout",
      "disable_flight_recorder_extra_dump_on_exec disable_flight_recorder_include_only_active",
      "disable_log_loss_scale_to_tensorboard disable_straggler_on_startup dump_param_to_param_group_map",
      "enable_one_logger flight_recorder_dump_path flight_recorder_include_stack_trace",
      "flight_recorder_trace_buffer_size log_batch_size_to_tensorboard log_device_memory_used log_energy log_interval",
      "log_memory_interval log_memory_to_tensorboard log_progress log_straggler log_throughput",
      "log_timers_to_tensorboard log_validation_ppl_to_tensorboard log_world_size_to_tensorboard logging_level",
      "memory_snapshot_path moe_enable_routing_replay moe_per_layer_logging moe_routing_trace_capture_hidden_states",
      "moe_routing_trace_capture_logits moe_routing_trace_dump_weights moe_routing_trace_max_training_iters",
      "moe_routing_trace_path no_barrier_with_level_1_timing no_flight_recorder_dump_on_timeout",
      "no_flight_recorder_extra_dump_on_exec no_flight_recorder_include_only_active no_log_learnig_rate_to_tensorboard",
      "no_log_loss_scale_to_tensorboard no_one_logger nvtx_ranges one_logger_async one_logger_entity one_logger_project",
      "one_logger_run_name otel_enabled otel_service_name otel_span_groups profile profile_ranks profile_step_end",
      "profile_step_start pytorch_profiler_collect_callstack pytorch_profiler_collect_chakra",
      "pytorch_profiler_collect_shapes record_memory_history record_shapes run_workload_inspector_server",
      "straggler_ctrlr_port straggler_minmax_count tensorboard_dir tensorboard_log_interval tensorboard_queue_size",
      "timing_log_level timing_log_option use_pytorch_profiler wandb_entity wandb_exp_name wandb_project wandb_save_dir",
    ],
  },
  {
    why: "Faults and restarts are no part of a step.",
    names: [
      "calc_ft_timeouts enable_ft_package error_injection_rate error_injection_type",
      "fault_injector_delay_start_iteration fault_injector_fault_delay fault_injector_fault_probabilities",
      "fault_injector_fault_types fault_injector_mtti_seconds fault_injector_num_ranks fault_injector_offset_seconds",
      "fault_injector_ranks fault_injector_seed ft_num_warmup_iters gpu_sniff_test_interval inprocess_active_world_size",
      "inprocess_barrier_timeout inprocess_completion_timeout inprocess_empty_cuda_cache inprocess_granularity",
      "inprocess_hard_timeout inprocess_heartbeat_interval inprocess_heartbeat_timeout inprocess_last_call_wait",
      "inprocess_max_iterations inprocess_monitor_process_interval inprocess_monitor_thread_interval",
      "inprocess_progress_watchdog_interval inprocess_restart inprocess_soft_timeout inprocess_termination_grace_time",
      "no_check_for_nan_in_loss_and_grad rerun_mode",
    ],
  },
  {
    why: "Generation of words is no part of training.",
    names: [
      "batch_invariant_backend cache_mla_latents decode_only_cuda_graphs disable_chunked_prefill enable_chunked_prefill",
      "flash_decode inference_batch_times_seqlen_threshold inference_coordinator_port inference_cuda_graph_all_prefills",
      "inference_cuda_graph_max_tokens inference_cuda_graph_scope inference_disable_ep_consensus",
      "inference_disable_triton_nvls_kernels inference_dynamic_batching inference_dynamic_batching_async_sched_mode",
      "inference_dynamic_batching_block_size inference_dynamic_batching_buffer_guaranteed_fraction",
      "inference_dynamic_batching_buffer_overflow_factor inference_dynamic_batching_buffer_size_gb",
      "inference_dynamic_batching_chunk_size inference_dynamic_batching_cuda_graph_max_tokens",
      "inference_dynamic_batching_cuda_graph_mixed_prefill_count",
      "inference_dynamic_batching_cuda_graph_sizing_distribution inference_dynamic_batching_logprobs_mode",
      "inference_dynamic_batching_mamba_memory_ratio inference_dynamic_batching_max_requests",
      "inference_dynamic_batching_max_requests_override inference_dynamic_batching_max_tokens",
      "inference_dynamic_batching_max_tokens_override inference_dynamic_batching_num_cuda_graphs",
      "inference_dynamic_batching_paused_buffer_size_gb inference_dynamic_batching_prefix_caching",
      "inference_dynamic_batching_prefix_caching_coordinator_policy",
      "inference_dynamic_batching_prefix_caching_eviction_policy inference_dynamic_batching_prefix_caching_mamba_gb",
      "inference_dynamic_batching_prefix_caching_routing_alpha inference_dynamic_batching_sampling_backend",
      "inference_dynamic_batching_track_generated_token_events inference_dynamic_batching_track_paused_request_events",
      "inference_dynamic_batching_unified_memory_level inference_fuse_tp_communication inference_grouped_gemm_backend",
      "inference_logging_step_interval inference_max_batch_size inference_max_requests inference_max_seq_length",
      "inference_moe_disable_fused_quant_kernels inference_moe_token_dispatcher_type inference_shards",
      "inference_text_gen_server_logging inference_use_synchronous_zmq_collectives inference_wandb_logging",
      "mlp_chunks_for_prefill moe_pad_experts_for_cuda_graph_inference nccl_all_reduce_for_prefill",
      "num_speculative_tokens use_legacy_static_engine",
    ],
  },
  {
    why: "Groups and processes are made in another way, before the first step.",
    names: [
      "disable_gloo_process_groups disable_symmetric_registration distributed_backend distributed_timeout_minutes",
      "distributed_timeout_seconds_after_init enable_experimental high_priority_a2a_comm_stream",
      "high_priority_stream_groups is_hybrid_model local_rank sharp_enabled_group tp_comm_bootstrap_backend use_mcore_models",
    ],
  },
  {
    why: "They are of other arguments, without which they do nothing, and which are followed or refused themselves.",
    names: [
      "cuda_graph_modules cuda_graph_scope cuda_graph_warmup_steps ddp_pad_buckets_for_high_nccl_busbw",
      "hierarchical_context_parallel_sizes moe_deepep_num_sms moe_flex_dispatcher_backend moe_flex_dispatcher_num_sms",
      "moe_hybridep_num_blocks_permute moe_hybridep_num_blocks_unpermute moe_hybridep_num_sms",
      "moe_hybridep_num_sms_preprocessing moe_hybridep_pad_uneven_dispatch_inputs moe_ncclep_static_shape",
      "moe_ncclep_zero_copy moe_token_drop_policy wgrad_deferral_limit",
    ],
  },
  {
    why: "A step is as long with it: what it changes are copies of pointers, or of a few bytes.",
    names: [
      "no_create_attention_mask_in_dataloader",
      "disable_async_tensor_model_parallel_allreduce disable_bf16_reduced_precision_matmul",
      "disable_clone_scatter_output_in_embedding moe_permute_fusion no_async_tensor_model_parallel_allreduce",
      "no_clone_scatter_output_in_embedding use_fused_weighted_squared_relu",
    ],
  },
]

// Followed but for what the sentence says; with the words of `but` there is nothing to say.
let megatron_partly = [
  {
    why: "matrices that the update multiplies are not priced: what it keeps and moves is",
    but: ["adam", "sgd"],
    names: [
      "optimizer",
    ],
  },
  {
    why: "weight gradients of the head come in their place here",
    names: [
      "defer_embedding_wgrad_compute",
    ],
  },
  {
    why: "the optimizer is dealt out over all replicas here",
    but: ["1"],
    names: [
      "num_distributed_optimizer_instances",
    ],
  },
  {
    why: "modules that predict further words have weights of their own here",
    names: [
      "mtp_use_repeated_layer",
    ],
  },
  {
    why: "sequences are full here, and each is one context",
    names: [
      "sft",
    ],
  },
  {
    why: "how much is on its way to the host at a time is as `offload_activations` has it",
    names: [
      "fine_grained_offloading_max_inflight_offloads min_offloaded_tensor_size delta_offload_bytes_across_pp_ranks",
      "delay_offload_until_cuda_graph",
    ],
  },
  {
    why: "FSDP's buffers are as PyTorch's here",
    names: [
      "fsdp_double_buffer init_model_with_meta_device megatron_fsdp_version megatron_fsdp_enable_fine_grained_param_gather",
      "megatron_fsdp_grad_comm_dtype megatron_fsdp_main_grads_dtype megatron_fsdp_main_params_dtype fsdp_manual_registration",
      "megatron_fsdp_max_pool_double_buffer fsdp_db_use_persist_buf_on_alloc_fail torch_fsdp2_no_reshard_after_forward",
    ],
  },
  {
    why: "modules that predict further words are left out of hybrids here",
    names: [
      "mtp_hybrid_override_pattern",
    ],
  },
  {
    why: "balancing by Sinkhorn's iterations is not priced",
    but: ["aux_loss", "seq_aux_loss", "global_aux_loss", "none"],
    names: [
      "moe_router_load_balancing_type",
    ],
  },
  {
    why: "kernels that it leaves apart are priced as fused",
    names: [
      "no_gradient_accumulation_fusion no_bias_gelu_fusion",
      "disable_jit_fuser no_bias_dropout_fusion no_bias_swiglu_fusion no_gradient_reduce_div_fusion",
      "no_persist_layer_norm no_rope_fusion",
    ],
  },
  {
    why: "norms and counts of every step are not priced",
    names: [
      "check_for_large_grads check_for_spiky_loss check_weight_hash_across_dp_replicas_interval log_max_attention_logit",
      "log_num_zeros_in_grad log_params_norm",
    ],
  },
  {
    why: "collection of garbage between steps is not priced",
    but: ["0"],
    names: [
      "empty_unused_memory_level",
    ],
  },
  {
    why: "kernels that give the same bits each time are priced as the others",
    names: [
      "deterministic_mode",
    ],
  },
  {
    why: "calls of an old library are priced as the new one's",
    names: [
      "moe_use_legacy_grouped_gemm",
    ],
  },
  {
    why: "sums of gradients begin when those of a stage are there, and gathers when a stage needs them, aligned with other stages or not",
    names: [
      "delay_param_gather disable_align_grad_reduce no_align_grad_reduce no_align_param_gather no_delay_grad_reduce",
    ],
  },
  {
    why: "copies of weights in fp8 are not counted",
    names: [
      "fp8_format",
    ],
  },
  {
    why: "shared experts, weight gradients and other micro-batches go on beside what is sent there, one after the other here",
    names: [
      "moe_shared_expert_overlap overlap_moe_expert_parallel_comm delay_wgrad_compute",
    ],
  },
  {
    why: "tokens go to experts by an all-to-all here, as with `alltoall`",
    but: ["alltoall"],
    names: [
      "moe_token_dispatcher_type moe_enable_deepep moe_permute_fusion_into_hybridep",
    ],
  },
  {
    why: "launches stay with the host here, and no pools of graphs are counted",
    but: ["none"],
    names: [
      "cuda_graph_impl enable_cuda_graph external_cuda_graph",
    ],
  },
  {
    why: "weights are kept and gathered in 16 bits here",
    names: [
      "fp8_param_gather keep_fp8_transpose_cache reuse_grad_buf_for_mxfp8_param_ag",
    ],
  },
  {
    why: "all layers are in the format of the recipe here, and all three products of a weight",
    but: ["0"],
    names: [
      "first_last_layers_bf16 num_layers_at_end_in_bf16 num_layers_at_start_in_bf16 no_fp8_wgrad disable_fp8_wgrad fp8_output_proj",
    ],
  },
  {
    why: "tokens of experts are not padded here",
    names: [
      "moe_router_padding_for_fp8 moe_router_padding_for_quantization",
    ],
  },
  {
    why: "buckets are of `--ddp-bucket-size` here",
    names: [
      "ddp_num_buckets",
    ],
  },
  {
    why: "user buffers and NCCL's registered ones are as `--tp-comm-overlap` alone has them here",
    names: [
      "tp_comm_overlap_cfg use_nccl_ub disable_tp_comm_bulk_dgrad disable_tp_comm_bulk_wgrad no_tp_comm_bulk_dgrad",
      "no_tp_comm_bulk_wgrad tp_comm_overlap_rs_dgrad",
    ],
  },
  {
    why: "it goes on in kernels of its own here",
    names: [
      "fused_residual_rmsnorm mla_down_proj_fusion use_transformer_engine_op_fuser moe_single_grouped_weight moe_single_grouped_bias",
      "moe_apply_probs_on_input overlap_param_gather_with_optimizer_step",
    ],
  },
  {
    why: "attention is priced as that of FlashAttention 2 here",
    but: ["2"],
    names: [
      "flash_attention_version",
    ],
  },
]

// They change a step in a way that is not followed; with the words of `but` they do not.
let megatron_refused = [
  {
    why: "what it keeps gathered is not followed: take `fsdp` of std.strategies.data in a plan",
    names: [
      "enable_full_sharding_in_hsdp",
    ],
  },
  {
    why: "shards of shards have no plan here yet",
    but: ["no_shard"],
    names: [
      "outer_dp_sharding_strategy",
    ],
  },
  {
    why: "layers with a state, or that differ, are not imported yet: std.models.nemotron has some",
    names: [
      "disable_mamba_mem_eff_path gdp_cutedsl_kernel gdp_num_chunk_states_to_recompute gdp_num_householder",
      "heterogeneous_layers_config_encoded_json heterogeneous_layers_config_path hybrid_attention_ratio",
      "hybrid_mlp_ratio",
      "mamba_inference_conv_states_dtype mamba_inference_ssm_states_dtype",
      "mamba_training_ssm_states_dtype",
    ],
  },
  {
    why: "the attention is another one than is followed here",
    names: [
      "disable_dsa_indexer_rotate_activation disable_dsa_indexer_scoring_relu",
      "dsa_indexer_head_dim dsa_indexer_k_norm_epsilon dsa_indexer_k_norm_fp32 dsa_indexer_loss_coeff",
      "dsa_indexer_n_heads dsa_indexer_rope_interleaved dsa_indexer_skip_topk_offset dsa_indexer_topk",
      "dsa_indexer_topk_freq dsa_indexer_use_sparse_loss dsa_kernel_backend",
      "kitchen_attention_backend no_dsa_indexer_rotate_activation",
      "no_dsa_indexer_scoring_relu no_rope_freq qk_l2_norm softmax_type use_kitchen_attention window_attn_skip_freq",
      "window_size",
    ],
  },
  {
    why: "other forms of the model have no plan here yet",
    names: [
      "activation_func_clamp_value apply_residual_connection_post_layernorm bert_embedder_type enable_mhc_connections",
      "encoder_pipeline_model_parallel_size encoder_tensor_model_parallel_size fp16_lm_cross_entropy",
      "fp32_residual_connection freeze_all_layers glu_linear_offset logits_load_decode_threads",
      "logits_load_dir logits_load_ignore_errors logits_load_kd_loss_alpha logits_load_msc_prefetch_depth",
      "logits_load_prefetch_factor mhc_init_gating_factor mhc_num_residual_streams mhc_recompute_layer_num",
      "mhc_sinkhorn_iterations mlp_chunks_for_training moe_mlp_glu_interleave_size",
      "moe_shared_expert_glu_interleave_size mrope_section mtp_detach_heads mtp_hsm",
      "mtp_standalone",
      "onnx_safe openai_gelu output_bert_embeddings",
      "output_logit_dtype pipeline_model_parallel_split_rank relative_attention_max_distance",
      "relative_attention_num_buckets retro_add_retriever retro_attention_gate retro_cyclic_train_iters",
      "retro_encoder_attention_dropout retro_encoder_hidden_dropout retro_encoder_layers retro_no_verify_neighbor_count",
      "retro_num_neighbors retro_num_retrieved_chunks retro_project_dir standalone_embedding_stage use_legacy_models",
      "use_te_activation_func",
    ],
  },
  {
    why: "activations that are recomputed and dealt out over tensor parallelism have no plan here yet",
    names: [
      "distribute_saved_activations moe_paged_stash moe_paged_stash_buffer_size_factor_cpu",
      "moe_paged_stash_buffer_size_factor_cuda moe_paged_stash_page_size",
    ],
  },
  {
    why: "offloading by modules has no plan here yet: take `offload_activations` of std.strategies.offload",
    names: [
      "activation_offload_fraction cpu_offloading_num_layers cpu_offloading_retain_pinned_cpu_buffers",
      "ep_overlap_early_attn_memory_release",
    ],
  },
  {
    why: "an optimizer that lies on the host in another way has no plan here yet: see std.strategies.offload",
    names: [
      "no_pin_cpu_grads no_pin_cpu_params overlap_cpu_optimizer_d2h_h2d use_torch_optimizer_for_cpu_offload",
    ],
  },
  {
    why: "reinforcement learning has no plan here yet",
    names: [
      "grpo_clamp_eps_lower grpo_clamp_eps_upper grpo_default_temperature grpo_default_top_p grpo_entropy_term_weight",
      "grpo_filter_groups_with_same_reward grpo_group_size grpo_iterations grpo_kl_beta grpo_prompts_per_step",
      "langrl_env_config langrl_external_server langrl_inference_server_conversation_template",
      "langrl_inference_server_type max_tokens_to_oom perform_rl_step refit_method rl_calculate_intra_group_similarity",
      "rl_consumption_granularity rl_default_temperature rl_default_top_k rl_default_top_p rl_durable_rollout_bank",
      "rl_generation_batch_size rl_generation_lag rl_importance_sampling_truncation_coef",
      "rl_inference_expert_model_parallel_size rl_inference_expert_tensor_model_parallel_size",
      "rl_inference_logprobs_is_correction rl_inference_model_unified_memory_level rl_inference_parsers",
      "rl_inference_pipeline_model_parallel_size rl_inference_tensor_model_parallel_size rl_kv_cache_management_mode",
      "rl_max_inflight_requests rl_num_parallel_generation_batches rl_num_parallel_generations",
      "rl_offload_inference_model_weights_when_idle rl_offload_kv_cache_during_training",
      "rl_offload_optimizer_during_inference rl_parallel_generation_tasks rl_partial_rollouts rl_persist_cuda_graphs",
      "rl_profile rl_profile_dir rl_prompts_per_eval rl_remove_kv_cache_during_training rl_reset_cuda_graphs",
      "rl_rollout_bank_dir rl_rollout_bank_max_bytes rl_sequence_packing_algo rl_sequence_packing_bin_size",
      "rl_sequence_packing_max_sequences_per_bin rl_skip_bos_token rl_submission_granularity rl_training_cuda_graphs",
      "rl_use_sequence_packing rl_verify_model_weights_swap",
    ],
  },
  {
    why: "experts are another size or in another order than is followed here",
    names: [
      "moe_combine_bwd_dtype moe_dispatch_fwd_dtype moe_extended_tp",
      "moe_use_grouped_tensor moe_use_upcycling use_grouped_gemm_for_dense_mlp",
      "use_grouped_gemm_for_shared_expert",
    ],
  },
  {
    why: "what goes on beside it is not followed: leave it out, or say so in a plan",
    names: [
      "batch_invariant_mode",
      "overlap_dispatch_backward_with_experts_wgrad",
    ],
  },
  {
    why: "CUDA graphs are not followed: neither are their launches taken off the host nor their pools counted",
    names: [
      "optimizer_cuda_graph",
    ],
  },
  {
    why: "layers in another format than the rest have no plan here yet",
    names: [
      "fp4_format fp4_param_gather fp4_quantizer_factory fp4_recipe",
      "fp8_quantizer_factory",
      "keep_fp8_transpose_cache_when_using_custom_fsdp kitchen_config_file kitchen_recipe_number",
      "te_precision_config_file",
    ],
  },
  {
    why: "experts whose room or padding goes by the rank or the format have no plan here yet",
    names: [
      "moe_expert_rank_capacity_factor",
    ],
  },
  {
    why: "user buffers with a configuration of their own have no plan here yet: `--tp-comm-overlap` alone is followed",
    names: [
      "disable_tp_comm_overlap_ag disable_tp_comm_overlap_rs",
      "disable_tp_comm_split_ag disable_tp_comm_split_rs",
      "no_tp_comm_overlap_ag no_tp_comm_overlap_rs no_tp_comm_split_ag no_tp_comm_split_rs",
    ],
  },
  {
    why: "messages of a pipeline in another way have no plan here yet",
    names: [
      "no_overlap_p2p_communication no_scatter_gather_tensors_in_pipeline",
      "pipeline_model_parallel_comm_backend suggested_communication_unit_size use_ring_exchange_p2p",
    ],
  },
  {
    why: "contexts of sequences that differ have no plan here yet",
    names: [
      "dataloader_inter_document_masking hybrid_context_parallel max_seqlen_per_dp_cp_rank",
    ],
  },
  {
    why: "weights that are dealt out and gathered again have no plan here yet",
    names: [
      "expert_tensor_parallel_num_weight_shards gtp_expert_remat_nccl_ub gtp_remat_nccl_ub gtp_remat_opt_in_modules",
      "gtp_remat_reduce_scatter_with_fp32_accumulation tensor_parallel_num_weight_shards",
    ],
  },
  {
    why: "collectives over switches' own sums, or through buffers of NCCL's, have no plan here yet",
    names: [
      "create_all_gather_group symmetric_ar_type use_sharp",
    ],
  },
  {
    why: "the update goes on in another way than is followed here",
    names: [
      "nccl_communicator_config_path no_use_layer_wise_param_layout qk_clip qk_clip_alpha qk_clip_threshold",
    ],
  },
  {
    why: "settings in a file are not read: write them as arguments",
    names: [
      "yaml_cfg",
    ],
  },
  {
    why: "it has been taken out of Megatron-LM: write what took its place",
    names: [
      "batch_size model_parallel_size warmup",
    ],
  },
  {
    why: "gradients that go to their owners by an all-to-all, or are kept in two formats, have no plan here yet",
    names: [
      "ddp_param_name_patterns_for_fp32_local_accumulation ddp_reduce_scatter_with_fp32_accumulation",
    ],
  },
  {
    why: "the process group is a made-up one: nothing is trained",
    names: [
      "fake_process_group",
    ],
  },
  {
    why: "models of pictures, and of two encoders, have no plan here yet",
    names: [
      "bert_load biencoder_projection_dim biencoder_shared_query_context_model block_data_path classes_fraction",
      "data_per_class_fraction dino_bottleneck_size dino_freeze_last_layer dino_head_hidden_size",
      "dino_local_crops_number dino_local_img_size dino_norm_last_layer dino_teacher_temp dino_warmup_teacher_temp",
      "dino_warmup_teacher_temp_epochs embedding_path evidence_data_path head_lr_mult ict_head_size ict_load img_h",
      "img_w indexer_batch_size indexer_log_interval iter_per_epoch mask_factor mask_type num_channels num_classes",
      "patch_dim query_in_block_prob retriever_report_topk_accuracies retriever_score_scaling retriever_seq_length",
      "sample_rate swin_backbone_type titles_data_path use_one_sent_docs vision_backbone_type vision_pretraining",
      "vision_pretraining_type",
    ],
  },
  {
    why: "the attention, the layers or the words are others than are followed here",
    but: [
      "local mamba_stack_spec megatron.core.models.mamba.mamba_layer_specs",
      "hybrid_stack_spec megatron.core.models.hybrid.hybrid_layer_specs",
    ],
    names: [
      "spec",
    ],
  },
  {
    why: "write `--vocab-size` and `--make-vocab-size-divisible-by`",
    names: [
      "disable_pad_vocab_size no_pad_vocab_size",
    ],
  },
]
