// Megatron-Bridge's ConfigContainer as a plan (NVIDIA-NeMo/Megatron-Bridge, recipes and what a run writes
// as run_config.yaml, August 2026): the model is Hugging Face's, of the name in `model._args_`, or `--model`.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.nvidia, std.frameworks.megatron_core, std.optimizers.adam

record BridgeArguments {
  gpus: Int
  gpu: String
  model__args_: String = ""
  model: String = "" // a name, before that of the file
  model_config: String = ""
  model_seq_length: Int = 0
  model_num_layers: Int = 0
  model_hidden_size: Int = 0
  model_ffn_hidden_size: Int = 0
  model_num_attention_heads: Int = 0
  model_num_query_groups: Int = 0
  model_kv_channels: Int = 0
  model_vocab_size: Int = 0
  model_normalization: String = "LayerNorm"
  model_gated_linear_unit: Bool = false
  model_share_embeddings_and_output_weights: Bool = true
  model_fine_grained_activation_offloading: Bool = false
  model_offload_modules: List[String] = []
  dataset_seq_length: Int = 0
  model_tensor_model_parallel_size: Int = 1
  model_pipeline_model_parallel_size: Int = 1
  model_context_parallel_size: Int = 1
  model_expert_model_parallel_size: Int = 1
  model_expert_tensor_parallel_size: Int = 0
  model_virtual_pipeline_model_parallel_size: Int = 1
  model_num_layers_in_first_pipeline_stage: Int = 0
  model_num_layers_in_last_pipeline_stage: Int = 0
  model_pipeline_model_parallel_layout: List = []
  model_recompute_granularity: String = ""
  model_recompute_modules: List[String] = ["core_attn"]
  model_cross_entropy_loss_fusion: Bool = true
  model_moe_token_dispatcher_type: String = "alltoall"
  model_moe_flex_dispatcher_backend: String = "deepep"
  model_mtp_num_layers: Int = 0
  model_cuda_graph_impl: String = "none"
  model_cuda_graph_scope: List[String] = []
  comm_overlap_tp_comm_overlap: Bool = false
  comm_overlap_overlap_moe_expert_parallel_comm: Bool = false
  ddp_grad_reduce_in_fp32: Bool = false
  ddp_overlap_grad_reduce: Bool = false
  ddp_use_distributed_optimizer: Bool = false
  ddp_data_parallel_sharding_strategy: String = "no_shard"
  ddp_use_megatron_fsdp: Bool = false
  mixed_precision: String = ""
  mixed_precision_fp8: String = ""
  mixed_precision_fp8_recipe: String = "tensorwise"
  mixed_precision_fp4: String = ""
  train_micro_batch_size: Int = 1
  train_global_batch_size: Int = 0
  optimizer_optimizer: String = "adam"
  optimizer_optimizer_cpu_offload: Bool = false
  optimizer_use_precision_aware_optimizer: Bool = false
  optimizer_exp_avg_dtype: String = "fp32"
  optimizer_exp_avg_sq_dtype: String = "fp32"
  optimizer_main_params_dtype: String = "fp32"
  peft__target_: String = ""
  peft_dim: Int = 32
  peft_dropout: Real = 0.0
  peft_target_modules: List[String] = ["linear_qkv", "linear_proj", "linear_fc1", "linear_fc2"]
}
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])
// What stands between the quotes of ('meta-llama/Meta-Llama-3-70B',).
fn _quotes(all: List) -> List[Int] = [i for i in 0..len(all) if all[i] == "'"]
fn _within(all: List, quotes: List) -> List = if len(quotes) < 2 then all else [all[i] for i in quotes[0] + 1..quotes[1]]
fn _args(text: String) -> List = _within(letters(text), _quotes(letters(text)))
// A provider that states its sizes: GPT's layers, or Llama's.
fn _sized(a: BridgeArguments) -> Record = if a.model_gated_linear_unit or a.model_normalization == "RMSNorm" then {
  model_type: "llama",
  hidden_size: a.model_hidden_size,
  num_hidden_layers: a.model_num_layers,
  num_attention_heads: a.model_num_attention_heads,
  num_key_value_heads: if a.model_num_query_groups > 0 then a.model_num_query_groups else a.model_num_attention_heads,
  head_dim: if a.model_kv_channels > 0 then a.model_kv_channels else div(a.model_hidden_size, a.model_num_attention_heads),
  intermediate_size: if a.model_ffn_hidden_size > 0 then a.model_ffn_hidden_size else 4 * a.model_hidden_size,
  vocab_size: if a.model_vocab_size > 0 then a.model_vocab_size else 50304,
  tie_word_embeddings: a.model_share_embeddings_and_output_weights,
} else {
  model_type: "gpt2",
  n_embd: a.model_hidden_size,
  n_layer: a.model_num_layers,
  n_head: a.model_num_attention_heads,
  n_inner: if a.model_ffn_hidden_size > 0 then a.model_ffn_hidden_size else 4 * a.model_hidden_size,
  n_positions: if a.model_seq_length > 0 then a.model_seq_length else 2048,
  vocab_size: if a.model_vocab_size > 0 then a.model_vocab_size else ceil_div(50257, 128 * a.model_tensor_model_parallel_size) * 128 *
    a.model_tensor_model_parallel_size,
}
fn _config(a: BridgeArguments) -> Record = if a.model_config != "" or a.model != "" then hf_config(
  a.model_config,
  a.model,
) else if a.model__args_ == "" and a.model_num_layers > 0 then _sized(a) else if a.model__args_ == "" then refuse(
  "the settings name no model: say `--model NAME` for a published one, or `--model_config FILE` for its config.json",
) else hf_config_of(_args(a.model__args_), a.model__args_)
// Parts of a stage by letters or by words: t and decoder, m and mtp.
fn _of(parts: List, kind: String) -> Int = sum([
  if x == kind or (x == "decoder" and kind == "t") or (x == "mtp" and kind == "m") then 1 else 0 for x in parts
])
fn _sizes(a: BridgeArguments, layers: Int) -> List = if a.model_pipeline_model_parallel_layout != [] then [
  _of(s, "t") + _of(s, "m") for s in a.model_pipeline_model_parallel_layout
] else core_sizes(
  a.model_pipeline_model_parallel_size,
  a.model_num_layers_in_first_pipeline_stage,
  a.model_num_layers_in_last_pipeline_stage,
  layers,
)
fn _chunks(a: BridgeArguments) -> Int = if a.model_pipeline_model_parallel_layout != [] then div(
  len(a.model_pipeline_model_parallel_layout),
  a.model_pipeline_model_parallel_size,
) else max(1, a.model_virtual_pipeline_model_parallel_size)
fn _sent(a: BridgeArguments) -> String =
  if a.model_moe_token_dispatcher_type != "flex" then "all_to_all" else if a.model_moe_flex_dispatcher_backend == "hybridep"
  then "hybrid_ep" else "deep_ep"
fn _precision(a: BridgeArguments) -> String = if a.mixed_precision_fp4 != "" or _is(
  a.mixed_precision,
  ["bf16_with_nvfp4_mixed"],
) then "nvfp4" else if _is(a.mixed_precision, ["bf16_with_mxfp8_mixed", "fp16_with_mxfp8_mixed"]) then "mxfp8"
  else if _is(a.mixed_precision, ["bf16_with_fp8_subchannel_scaling_mixed"]) then "fp8_block" else if _is(
  a.mixed_precision,
  ["bf16_with_fp8_mixed", "bf16_with_fp8_delayed_scaling_mixed", "bf16_with_fp8_current_scaling_mixed"],
) then "fp8" else core_recipe(a.mixed_precision_fp8 != "", a.mixed_precision_fp8_recipe)
fn bridge_job(a: BridgeArguments) -> Job = if not _is(a.optimizer_optimizer, ["adam", "sgd", "muon", "dist_muon"]) then refuse(
  "the optimizer `" + a.optimizer_optimizer + "` has no record here: adam, sgd and muon are followed",
) else _job(a, _config(a))
// What CUDA graphs hold; a graph of the whole step holds experts with room for the most tokens alone.
fn _captured(impl: String, scope: List) -> String = if impl == "none" or scope == [] then "none" else if any([
  s == "attn" for s in scope
]) then "layer" else if any([s == "moe_router" for s in scope]) then "router" else "none"
fn _predicts(config: Record) -> Bool = any([
  field(config, key, 0) > 0 for key in ["num_nextn_predict_layers", "mtp_num_hidden_layers", "mtp_num_layers"]
])
fn _job(a: BridgeArguments, config: Record) -> Job = {
  gpus: a.gpus,
  gpu: a.gpu,
  framework: megatron_bridge with {
    overlap = a.ddp_overlap_grad_reduce
    tensor = if a.comm_overlap_tp_comm_overlap then "ring" else "stream"
    loss = if a.model_cross_entropy_loss_fusion then "fused" else "apart"
    gradients = if a.ddp_grad_reduce_in_fp32 then fp32 else bf16
    exchange = _sent(a)
  },
  config: config,
  text: true, // towers are left out
  seq: if a.model_seq_length > 0 then a.model_seq_length else if a.dataset_seq_length > 0 then a.dataset_seq_length else 4096,
  mtp: a.model_mtp_num_layers > 0 and _predicts(config), // recipes set it for models without, too
  micro: a.train_micro_batch_size,
  global: a.train_global_batch_size,
  tp: a.model_tensor_model_parallel_size,
  cp: a.model_context_parallel_size,
  ep: a.model_expert_model_parallel_size *
    (if a.model_expert_tensor_parallel_size > 0 then a.model_expert_tensor_parallel_size else a.model_tensor_model_parallel_size),
  pp: a.model_pipeline_model_parallel_size,
  chunks: _chunks(a),
  sizes: _sizes(a, core_layers(config)),
  sharding: core_sharding(a.ddp_use_megatron_fsdp, a.ddp_data_parallel_sharding_strategy, a.ddp_use_distributed_optimizer),
  again: [
    core_again(a.model_recompute_granularity, a.model_recompute_modules),
    if a.model_fine_grained_activation_offloading then framework_offload(a.model_offload_modules) else none,
  ],
  recipe: _precision(a),
  beside: a.comm_overlap_overlap_moe_expert_parallel_comm,
  captured: _captured(a.model_cuda_graph_impl, a.model_cuda_graph_scope),
  on_host: a.optimizer_optimizer_cpu_offload,
  optimizer: if a.optimizer_optimizer != "adam" then sgd() else core_adam( // Muon keeps a momentum, too
    a.optimizer_use_precision_aware_optimizer,
    a.optimizer_exp_avg_dtype,
    a.optimizer_exp_avg_sq_dtype,
    a.optimizer_main_params_dtype,
    if a.mixed_precision != "" and _precision(a) == "bf16" then "" else a.mixed_precision_fp8_recipe,
  ),
  tuned: _tuned(a),
}
// LoRA and DoRA (src/megatron/bridge/peft), beside the fused modules of Megatron-Core, of experts too.
fn _tuned(a: BridgeArguments) -> Tuning = if a.peft__target_ == "" then {} else {
  method: "lora",
  rank: a.peft_dim,
  targets: a.peft_target_modules,
  experts: true,
  packed: true,
  dropped: a.peft_dropout > 0,
  decomposed: a.peft__target_ == "DoRA",
}

let command_line = {
  about: "A recipe of Megatron-Bridge's: `trainspec import megatron_bridge` wrote it.",
  arguments: "BridgeArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml"],
  open: ["none null None"],
  layouts: ["model_pipeline_model_parallel_layout"],
  prefixes: [{ given: "model_cuda_graph_modules", as: "model_cuda_graph_scope" }],
  plan: job_plan("bridge_job", tuned: true),
  harmless: [
    { why: "the model has the same ones", names: ["dataset_sequence_length tokenizer_tensor_model_parallel_size"] },
    {
      why: "gradients stay in the format that `ddp.grad_reduce_in_fp32` gives them",
      names: ["optimizer_main_grads_dtype"],
    },
    {
      why: "numbers of adapters",
      names: [
        "peft_alpha peft_dropout_position peft_lora_A_init_method peft_lora_B_init_method peft_a2a_experimental peft_lora_dtype peft_sequence_parallel_input_regather",
      ],
    },
    {
      why: "what is written, evaluated, read and logged beside steps",
      names: [
        "checkpoint_* dataset* logger_* tokenizer_* validation_* rng_* scheduler_* env_vars_*",
        "rerun_state_machine_* profiling_* straggler_* nvrx_* ft_* inprocess_restart_* tensor_inspect_*",
        "dist__target_ dist_distributed_backend dist_distributed_timeout_minutes",
        "dist_distributed_timeout_seconds_after_init dist_enable_megatron_core_experimental",
        "dist_eval_context_parallel_size dist_flight_recorder_dump_on_timeout dist_flight_recorder_dump_path",
        "dist_flight_recorder_extra_dump_on_exec dist_flight_recorder_include_only_active",
        "dist_flight_recorder_include_stack_trace dist_flight_recorder_trace_buffer_size dist_lazy_mpu_init",
        "dist_local_rank dist_use_decentralized_pg dist_use_gloo_process_groups train__target_",
        "train__train_iters_from_num_epochs train_decrease_batch_size_if_needed train_eval_interval",
        "train_eval_iters train_exit_duration_in_mins train_exit_interval train_exit_signal",
        "train_exit_signal_handler train_exit_signal_handler_for_dataloader",
        "train_exit_signal_handler_for_training train_gpu_sniff_test_interval train_iterations_to_skip",
        "train_manual_gc train_manual_gc_eval train_manual_gc_interval train_num_epochs train_skip_train",
        "train_train_iters train_train_samples",
        "model__target_ comm_overlap__target_ ddp__target_ mixed_precision__target_ optimizer__target_",
      ],
    },
    {
      why: "numbers of the optimizer: an update takes as long with any",
      names: [
        "optimizer_adam_beta1 optimizer_adam_beta2 optimizer_adam_eps optimizer_bf16 optimizer_fp16 optimizer_clip_grad",
        "optimizer_lr optimizer_min_lr optimizer_weight_decay optimizer_use_distributed_optimizer",
        "optimizer_params_dtype optimizer_min_loss_scale optimizer_hysteresis optimizer_timers",
        "optimizer_overlap_param_gather_with_optimizer_step optimizer_muon_extra_scale_factor",
        "optimizer_muon_fp32_matmul_prec optimizer_muon_momentum optimizer_muon_nesterov optimizer_muon_num_ns_steps",
        "optimizer_muon_scalar_optimizer optimizer_muon_scale_mode",
      ],
    },
    {
      why: "as the profile of Megatron-Bridge has it",
      names: [
        "ddp_average_in_collective ddp_check_for_large_grads ddp_check_for_nan_in_grad",
        "ddp_gradient_reduce_div_fusion",
        "comm_overlap_tp_comm_bootstrap_backend",

        "comm_overlap_align_param_gather comm_overlap_wgrad_deferral_limit",
        "comm_overlap comm_overlap_overlap_param_gather_with_optimizer_step model_sequence_parallel",
        "model_transformer_impl model_attention_backend model_apply_rope_fusion model_moe_grouped_gemm",
        "model_moe_permute_fusion model_moe_router_bias_update_rate model_moe_router_dtype",
        "model_moe_router_enable_expert_bias model_moe_router_force_biased model_moe_router_force_load_balancing",
        "model_moe_router_fusion model_moe_router_group_topk model_moe_router_load_balancing_type",
        "model_moe_router_num_groups model_moe_router_padding_for_fp8 model_moe_router_padding_for_quantization",
        "model_moe_router_pre_softmax model_moe_router_quantile_balancing_ema model_moe_router_score_function",
        "model_moe_router_topk model_moe_router_topk_limited_devices model_moe_router_topk_scaling_factor",
        "model_moe_aux_loss_coeff model_moe_z_loss_coeff model_moe_hybridep_num_blocks_permute",
        "model_moe_hybridep_num_blocks_unpermute model_moe_hybridep_num_sms model_moe_hybridep_num_sms_preprocessing",
        "model_moe_hybridep_pad_uneven_dispatch_inputs model_moe_deepep_num_sms model_moe_input_jitter_eps",
        "model_init_method model_init_method_std model_init_model_with_meta_device model_embedding_init_method",
        "model_embedding_init_method_std model_rotary_base model_rotary_interleaved model_rotary_percent",
        "model_rotary_scaling_factor model_pipeline_dtype model_params_dtype model_autocast_dtype model_bf16 model_fp16",
        "model_mtp_loss_scaling_factor model_moe_flex_dispatcher_num_sms model_keep_mtp_spec_in_bf16",
        "model_moe_permute_fusion_into_hybridep ddp dist rng model_cuda_graph_impl model_cuda_graph_modules",
        "model_cuda_graph_retain_backward_graph model_cuda_graph_scope model_cuda_graph_use_single_mempool",
        "model_cuda_graph_warmup_steps model_use_te_rng_tracker model_gradient_accumulation_fusion",
        "model_bias_activation_fusion model_bias_dropout_fusion model_masked_softmax_fusion model_persist_layer_norm",
        "model_cross_entropy_fusion_impl model_account_for_embedding_in_pipeline_split",
        "model_account_for_loss_in_pipeline_split model_hidden_dropout model_attention_dropout model_deterministic_mode",
        "model_vocab_size model_should_pad_vocab model_make_vocab_size_divisible_by model_distribute_saved_activations",
        "model_recompute_method model_recompute_num_layers model_layernorm_epsilon model_layernorm_zero_centered_gamma",
        "model_kv_channels model_share_embeddings_and_output_weights model_offload_modules model_perform_initialization",
        "model_use_cpu_initialization model_enable_autocast model_timers model_finalize_model_grads_func",
        "model_grad_scale_func model_grad_sync_func model_no_sync_func model_param_sync_func model_barrier_with_L1_time",
        "model_batch_p2p_comm model_batch_p2p_sync model_overlap_p2p_comm model_overlap_p2p_comm_warmup_flush",
        "model_variable_seq_lengths model_microbatch_group_size_per_vp_stage model_deallocate_pipeline_outputs",
        "model_tp_comm_atomic_ag model_tp_comm_atomic_rs model_tp_comm_bootstrap_backend model_tp_comm_bulk_dgrad",
        "model_tp_comm_bulk_wgrad model_tp_comm_overlap model_tp_comm_overlap_ag model_tp_comm_overlap_cfg",
        "model_tp_comm_overlap_disable_fc1 model_tp_comm_overlap_disable_qkv model_tp_comm_overlap_rs",
        "model_tp_comm_overlap_rs_dgrad model_tp_comm_split_ag model_tp_comm_split_rs model_test_mode",
        "model_calculate_per_token_loss model_scatter_embedding_sequence_parallel model_seq_len_interpolation_factor",
        "model_position_embedding_type model_restore_modelopt_state model_hf_model_id model_hf_model_revision",
        "model_memory_efficient_layer_norm model_num_layers_at_end_in_bf16 model_num_layers_at_start_in_bf16",
        "model_first_last_layers_bf16 model_inference_cuda_graph_scope model_inference_disable_triton_nvls_kernels",
        "model_inference_fuse_tp_communication model_inference_grouped_gemm_backend",
        "model_inference_moe_disable_fused_quant_kernels model_inference_moe_token_dispatcher_type",
        "model_inference_rng_tracker model_inference_sampling_seed model_flash_decode model_fp8",
        "model_fp8_amax_compute_algo model_fp8_amax_history_len model_fp8_dot_product_attention model_fp8_interval",
        "model_fp8_margin model_fp8_multi_head_attention model_fp8_output_proj model_fp8_param",
        "model_fp8_quantizer_factory model_fp8_recipe model_fp8_wgrad model_fp4 model_fp4_param",
        "model_fp4_quantizer_factory model_fp4_recipe model_attention_softmax_in_fp32 model_softmax_scale",
        "model_softmax_type model_apply_query_key_layer_scaling model_normalization model_qk_layernorm",
        "model_add_bias_linear model_add_qkv_bias model_hidden_size model_num_attention_heads model_num_layers",
        "model_num_microbatches_with_partial_activation_checkpoints model_num_moe_experts model_num_query_groups",
        "model_ffn_hidden_size model_gated_linear_unit model_activation_func model_activation_func_clamp_value",
        "model_activation_func_fp8_input_store model_activation_offload_fraction model_moe_ffn_hidden_size",
        "model_moe_shared_expert_intermediate_size model_moe_layer_freq model_multi_latent_attention model_q_lora_rank",
        "model_kv_lora_rank model_qk_clip model_qk_clip_alpha model_qk_clip_threshold model_qk_head_dim",
        "model_qk_l2_norm model_qk_pos_emb_head_dim model_v_head_dim model_window_attn_skip_freq model_window_size",
        "model_hybrid_context_parallel model_hybrid_layer_pattern model_mamba_head_dim model_mamba_num_groups",
        "model_mamba_num_heads model_mamba_stack_spec model_mamba_state_dim model_mamba_training_ssm_states_dtype",
        "model_is_hybrid_model model_rope_scaling model_rope_scaling_factor model_rope_type model_mscale",
        "model_mscale_all_dim model_original_max_position_embeddings model_yarn_beta_fast model_yarn_beta_slow",
        "model_yarn_correction_range_round_to_int model_yarn_mscale model_yarn_mscale_all_dim",
        "model_yarn_original_max_position_embeddings model_yarn_rotary_scaling_factor model_beta_fast model_beta_slow",
        "model_spec model_transformer_layer_spec model_moe_token_drop_policy model_moe_per_layer_logging",
        "model_moe_expert_capacity_factor model_moe_pad_expert_input_to_capacity",
        "model_moe_pad_experts_for_cuda_graph_inference model_fused_residual_rmsnorm model_fused_single_qkv_rope",
        "model_use_fused_weighted_squared_relu model_use_kitchen model_clone_scatter_output_in_embedding",
        "model_config_logger_dir model_heterogeneous_block_specs model_disable_bf16_reduced_precision_matmul",
        "model_disable_parameter_transpose_cache model_use_arbitrary_attention_mask model_parallel_output",
        "model_fp32_residual_connection model_cp_comm_type model_hierarchical_context_parallel_sizes",
        "model_max_seqlen_per_dp_cp_rank model_symmetric_ar_type model_moe_latent_size",
        "model_nccl_all_reduce_for_prefill model_mtp_detach_heads model_mtp_enabled model_mtp_grad_scale_func",
        "model_mtp_hsm model_mtp_hybrid_override_pattern model_mtp_standalone model_mtp_use_repeated_layer",
        "model_glu_linear_offset model_linear_attention_freq model_linear_conv_kernel_dim model_linear_key_head_dim",
        "model_linear_num_key_heads model_linear_num_value_heads model_linear_value_head_dim",
        "model_experimental_attention_variant model_experimental_attention_variant_loss_scale_func",
        "model_dsa_indexer_head_dim model_dsa_indexer_k_norm_epsilon model_dsa_indexer_k_norm_fp32",
        "model_dsa_indexer_loss_coeff model_dsa_indexer_n_heads model_dsa_indexer_rope_interleaved",
        "model_dsa_indexer_rotate_activation model_dsa_indexer_scoring_relu model_dsa_indexer_skip_topk_offset",
        "model_dsa_indexer_topk model_dsa_indexer_topk_freq model_dsa_indexer_use_sparse_loss model_dsa_kernel_backend",
        "model_mlp_chunks_for_prefill model_mlp_chunks_for_training model_no_rope_freq model_quant_recipe",
        "model_delay_offload_until_cuda_graph model_delay_wgrad_compute model_cpu_offloading",
        "model_cpu_offloading_activations model_cpu_offloading_double_buffering model_cpu_offloading_num_layers",
        "model_cpu_offloading_retain_pinned_cpu_buffers model_cpu_offloading_weights",
        "model_high_priority_a2a_comm_stream model_use_te_activation_func model_enable_cuda_graph",
        "model_enable_mhc_connections model_external_cuda_graph model_mhc_init_gating_factor",
        "model_mhc_num_residual_streams model_mhc_recompute_layer_num model_mhc_sinkhorn_iterations",
        "model_mup_attn_scale_power model_mup_base_head_dim model_mup_base_hidden_size model_mup_embedding_mult",
        "model_mup_output_mult model_mup_width_mult model_use_mup model_min_offloaded_tensor_size",
        "model_moe_apply_probs_on_input model_moe_paged_stash model_moe_paged_stash_buffer_size_factor_cpu",
        "model_moe_paged_stash_buffer_size_factor_cuda model_moe_paged_stash_page_size",
        "model_moe_mlp_glu_interleave_size model_moe_single_grouped_bias model_moe_single_grouped_weight",
        "model_moe_combine_bwd_dtype model_moe_dispatch_fwd_dtype model_moe_enable_deepep",
        "model_moe_enable_routing_replay model_moe_use_grouped_tensor model_batch_invariant_mode",
        "model_log_max_attention_logit model_output_layer_init_method model_tensor_parallel_num_weight_shards",
        "model_gtp_remat_opt_in_modules model_gtp_weight_remat_size model_pre_process model_post_process model_vp_stage",
        "model_use_transformer_engine_full_layer_spec model_use_transformer_engine_op_fuser",
        "model_hetereogenous_dist_checkpoint",
      ],
    },
    {
      why: "checkpoints, and where weights come from",
      names: ["checkpoint model_attention_output_gate model_revision model_trust_remote_code"],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "env_vars model_batch_invariant_backend model_defer_embedding_wgrad_compute model_kitchen_attention_backend",
        "model_moe_expert_rank_capacity_factor model_pipeline_model_parallel_comm_backend rerun_state_machine",
      ],
    },
    { why: "what is written, logged and watched beside steps", names: ["logger model_logit_dtype"] },
    {
      why: "data are read beside the step",
      names: ["model_cache_mla_latents model_moe_shared_expert_glu_interleave_size model_moe_token_dropping tokenizer train"],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: ["model_delta_offload_bytes_across_pp_ranks model_fp16_lm_cross_entropy"],
    },
    {
      why: "evaluation and generation between steps",
      names: ["model_ep_overlap_early_attn_memory_release model_use_inference_optimized_layers validation"],
    },
    { why: "numbers of the optimizer and of losses: a step takes as long with any", names: ["scheduler"] },
  ],
  partly: [
    {
      why: "matrices that the update multiplies are not priced: what it keeps and moves is",
      but: ["adam", "sgd"],
      names: ["optimizer_optimizer"],
    },
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "mixed_precision_* optimizer_muon_tp_mode ddp_bucket_size ddp_overlap_param_gather",
        "ddp_num_distributed_optimizer_instances comm_overlap_bucket_size comm_overlap_tp_comm_overlap_cfg",
        "comm_overlap_defer_embedding_wgrad_compute comm_overlap_overlap_p2p_comm",
        "comm_overlap_overlap_grad_reduce comm_overlap_overlap_param_gather",
        "optimizer_optimizer_offload_fraction",
      ],
    },
    {
      why: "a model has as many words as its configuration says",
      but: ["128"],
      names: ["tokenizer_make_vocab_size_divisible_by"],
    },
    {
      why: "batches that grow, other placements, words by their tokenizer and packed samples are not followed",
      but: ["false", "none", "0", "[]", "null"],
      names: [
        "dataset_offline_packing_specs_* dataset_packed_sequence_specs_* dataset_dataset_kwargs_pad_to_max_length",
        "dataset_context_parallel_size dataset_data_parallel_size dataset_enable_offline_packing",
        "dataset_hybrid_context_parallel dataset_inter_document_masking dataset_offline_packing_specs",
        "dataset_sequence_parallel_size dist_align_grad_reduce dist_disable_jit_fuser",
        "dist_external_gpu_device_mapping dist_high_priority_stream_groups dist_nccl_communicator_config_path",
        "dist_sharp_enabled_group dist_use_megatron_fsdp dist_use_sharp dist_use_torch_fsdp2",
        "dist_use_tp_pp_dp_mapping logger_barrier_with_L1_time logger_log_max_attention_logit",
        "profiling_nvtx_ranges tokenizer_pad_vocab_size",
        "tokenizer_padded_vocab_size tokenizer_vocab_size",
        "train_check_optimizer_step_success train_check_weight_hash_across_dp_replicas_interval",
        "train_empty_unused_memory_level train_rampup_batch_size train_skip_sync_grad_norm_across_mp",
        "train_step_batch_size_schedule train_train_sync_interval",
      ],
    },
    {
      why: "shared experts, weight gradients and other micro-batches are computed one after the other here",
      but: ["false", "none"],
      names: [
        "model_moe_shared_expert_overlap comm_overlap_delay_wgrad_compute model_overlap_moe_expert_parallel_comm model_delay_wgrad_compute",
      ],
    },
    {
      why: "launches stay with the host here",
      but: ["none", "false"],
      names: ["model_cuda_graph_impl model_enable_cuda_graph model_external_cuda_graph"],
    },
    {
      why: "towers of pictures are left out here: of models of pictures and words the one of words is played",
      names: ["model_freeze_vision_model model_freeze_vision_projection"],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "model__cpu_offloading_context model__pg_collection model_apply_residual_connection_post_layernorm",
        "model_dense_grouped_gemm model_expert_gtp_weight_remat_size model_expert_tensor_parallel_num_weight_shards",
        "model_fine_grained_offloading_max_inflight_offloads model_flash_attention_version model_gdp_cutedsl_kernel",
        "model_gdp_num_chunk_states_to_recompute model_gdp_num_householder model_mla_down_proj_fusion",
        "model_moe_a2a_overlap model_moe_grad_scale_func model_moe_layer_recompute model_moe_ncclep_zero_copy",
        "model_moe_shared_expert_gate model_mrope_section model_overlap_dispatch_backward_with_experts_wgrad",
        "model_tp_only_amax_red model_use_grouped_gemm_for_dense_mlp model_use_grouped_gemm_for_shared_expert",
        "model_use_kitchen_attention model_use_mamba_mem_eff_path model_use_ring_exchange_p2p",
        "model_wgrad_deferral_limit optimizer_lion_beta1 optimizer_lion_beta2",
      ],
    },
  ],
  refused: [
    {
      why: "a model's card names its recipes, whose settings stand in Python: give the run_config.yaml that a run of one writes",
      names: [
        "title summary verification_index_* verification_environment_* items_* model_hf_id model_hf_revision model_architecture",
        "model_min_transformers_version",
      ],
    },
    {
      why: "a model of words that is frozen beside its tower has no plan here yet",
      but: ["false"],
      names: ["model_freeze_language_model"],
    },
    { why: "modules are named here that have adapters, not those that have none", but: ["none"], names: ["peft_exclude_modules"] },
    { why: "of adapters LoRA and DoRA have a plan here", but: ["LoRA", "DoRA"], names: ["peft__target_"] },
    {
      why: "offloading by modules has no plan here yet",
      but: ["false"],
      names: ["model_cpu_offloading"],
    },
  ],
}
