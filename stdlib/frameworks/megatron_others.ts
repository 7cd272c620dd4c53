// Arguments that come beside those of Megatron-LM's own parser, by what becomes of them: of
// Megatron-DeepSpeed (bigscience-workshop and deepspeedai), of the harness of Megatron-LM's tests, of
// ModelOpt, of examples/multimodal. Lists are as in std.frameworks.megatron_arguments.
let megatron_others_harmless = [
  {
    why: "They are of the test or the launcher that has the arguments in a file.",
    names: [
      "env_* test_type model_provider temperature top_k output_path launcher metrics before_script after_script script_setup type n_repeat nnodes model model_type",
    ],
  },
  {
    why: "DeepSpeed's file says again what arguments of Megatron-DeepSpeed say.",
    names: [
      "deepspeed_config train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps gradient_clipping zero_optimization_*",
      "bf16_enabled fp16_* steps_per_print wall_clock_breakdown zero_allow_untested_optimizer data_types_* communication_data_type",
      "prescale_gradients data_efficiency_* curriculum_learning_* checkpoint_parallel_write_pipeline csv_monitor_* comms_logger_*",
    ],
  },
  {
    why: "Megatron-DeepSpeed has them for data, numbers and records.",
    names: [
      "sync_tp_duplicated_parameters kill_switch_path kill_switch_file log_level log_level_replica codecarbon_dir eval_only",
      "skip_train_iteration_range inference abort_on_unmet_fused_kernel_constraints lr_decay_tokens lr_warmup_tokens train_tokens",
      "override_lr_scheduler use_checkpoint_lr_scheduler universal_checkpoint no_query_key_layer_scaling layernorm_epsilon",
      "train_weighted_split_paths valid_weighted_split_paths test_weighted_split_paths train_weighted_split_paths_path",
      "valid_weighted_split_paths_path test_weighted_split_paths_path log_path mmap_warmup valid_num_workers",
      "tokenizer_name_or_path data_impl loss_on_targets_only reweight_loss_based_on_position_frequency noise_density",
      "mean_noise_span_length zero_contigious_gradients zero_reduce_bucket_size zero_allgather_bucket_size profile_backward",
      "deepspeed_activation_checkpointing contigious_checkpointing synchronize_each_layer checkpoint_num_layers",
      "log_optimizer_states_to_tensorboard no_pipeline_parallel ds_inference ds_fused_adam use_dataset_only load_tag",
      "no_load_lr_state rotary_position_embeddings_theta aml_data_download_path train_data_exact_num_epochs return_data_index",
      "train_idx_path train_desc_path train_doc_idx_path train_sample_idx_path train_shuffle_idx_path repeated_dataloader",
      "profile_steps reset_iteration disable_mem_efficient_ln moe_loss_coeff moe_eval_capacity_factor create_moe_param_group",
      "norm_target_loss reset_progress no_train repo_path ddp_impl use_contiguous_buffers_in_ddp no_contiguous_buffers_in_local_ddp overlap_p2p_communication zero_reduce_scatter retro_workdir",
      "retro_return_doc_ids deepscale deepscale_config deepspeed_mpi fp8_e4m3 checkpoint_in_cpu",
    ],
  },
  {
    why: "They are of ModelOpt, which exports and quantizes.",
    names: ["export_*"],
  },
]
let megatron_others_partly = [
  {
    why: "each expert gets as many tokens here, and none are dropped",
    names: ["moe_train_capacity_factor moe_min_capacity disable_moe_token_dropping disable_moe_top2_2nd_expert_sampling"],
  },
]
let megatron_others_refused = [
  {
    why: "programs that answer prompts, and reinforcement learning, have no plan here: those that train have",
    but: ["pretraining"],
    names: ["mode incoming_requests_per_sec num_tokens_to_generate prompts return_log_probs"],
  },
  {
    why: "models of which a router picks parts have no plan here yet",
    but: ["false"],
    names: [
      "flextron enable_router binary_mask soft_mask hard_sample_th router_beta original_model_sample_prob tau_init tau_decay",
      "loss_alpha lr_mult_router router_gbs router_inter_dim budget_list budget_probs budget_type emb_int_list mlp_int_list",
      "mamba_int_list head_int_list moe_expert_int_list",
    ],
  },
  {
    why: "these are NeMo's keys: give its own file to `trainspec import nemo`",
    names: ["model_args_*"],
  },
  {
    why: "Megatron-DeepSpeed does it in a way that has no plan here yet",
    names: [
      "use_bnb_optimizer cpu_torch_adam remote_device scattered_embeddings split_transformers memory_centric_tiled_linear",
      "tile_factor partition_activations distribute_checkpointed_activations enable_zbh1_pipeline enable_zbh1_exact_semantics",
      "random_ltd data_efficiency_curriculum_learning mlp_type num_experts_switch",
      "num_experts_teacher use_tutel enable_expert_tensor_parallelism",
      "embedding_weights_in_fp32 force_ds_sequence_parallel ds_sequence_parallel_fpdt",
      "ds_sequence_parallel_fpdt_chunk_size ds_sequence_parallel_fpdt_offloading num_layers_teacher hidden_size_teacher",
      "num_attention_heads_teacher mos kd kd_alpha_ce kd_beta_ce kd_temp load_teacher fp8_hybrid img_dim",
    ],
  },
  {
    why: "models of pictures and words have no plan here yet: towers with degrees of their own",
    names: [
      "freeze_lm freeze_vit language_model_type vision_model_type sound_model_type freeze_sound_model dataset_config",
      "pixel_shuffle use_tiling max_num_tiles use_thumbnail use_tile_tags image_tag_type disable_vision_class_token",
      "tokenizer_prompt_format dataloader_save prompt_path use_te add_class_token allow_missing_vision_projection_checkpoint",
    ],
  },
]
