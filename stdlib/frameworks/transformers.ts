// Hugging Face's trainers as plans: arguments of transformers' Trainer (release 5.24, and those of releases
// before) and TRL, DeepSpeed's JSON (0.19), Accelerate's YAML (1.15). They say how a model is trained; which one
// `model_name_or_path` says, or the config.json that `model_config` names. What they leave open has the defaults of
// these releases. Sources: transformers/training_args.py, accelerate/commands, deepspeed/runtime.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch, std.frameworks.optimizers, std.strategies.recompute, std.frameworks.deepspeed_keys

record TrainerArguments {
  gpus: Int
  gpu: String
  script: String = "" // its program
  launch_nproc_per_node: Int = 0
  launch_nnodes: Int = 1
  launch_num_gpus: Int = 0
  launch_num_nodes: Int = 1
  launch_num_processes: Int = 0
  num_processes: Int = 0 // Accelerate's
  model_name_or_path: String = ""
  model_config: String = "" // a config.json
  text: Bool = false
  max_length: Int = 0 // words of a sample; 0: 1,024, as TRL has it
  per_device_train_batch_size: Int = 8
  gradient_accumulation_steps: Int = 1
  gradient_checkpointing: Bool = false
  bf16: Bool = false
  fp16: Bool = false
  optim: String = "adamw_torch_fused"
  // Accelerate
  mixed_precision: String = "no"
  distributed_type: String = "NO"
  fsdp: List[String] = []
  fsdp_sharding_strategy: String = ""
  fsdp_reshard_after_forward: String = "true"
  fsdp_activation_checkpointing: Bool = false
  fsdp_offload_params: Bool = false
  parallelism_dp_replicate_size: Int = 1
  parallelism_dp_shard_size: Int = 1
  parallelism_tp_size: Int = 1
  parallelism_cp_size: Int = 1
  parallelism_sp_size: Int = 1
  deepspeed_zero_stage: Int = 0
  deepspeed_offload_optimizer_device: String = "none"
  deepspeed_offload_param_device: String = "none"
  deepspeed_gradient_accumulation_steps: Int = 1
  // DeepSpeed
  train_batch_size: Int = 0
  train_micro_batch_size_per_gpu: Int = 0
  zero_optimization_stage: Int = 0
  zero_optimization_overlap_comm: Bool = true
  zero_optimization_cpu_offload: Bool = false
  zero_optimization_offload_optimizer_device: String = "none"
  zero_optimization_offload_param_device: String = "none"
  zero_optimization_zero_hpz_partition_size: Int = 1
  bf16_enabled: Bool = false
  fp16_enabled: Bool = false
  tensor_parallel_autotp_size: Int = 0
  sequence_parallel_size: Int = 1
  optimizer_type: String = "" // before `optim`
  use_peft: Bool = false
  use_llm_lora: Int = 0 // of InternVL's scripts: its rank
  lora_r: Int = 16
  lora_dropout: Real = 0.05
  lora_target_modules: List[String] = []
  lora_modules_to_save: List[String] = []
  use_dora: Bool = false
  load_in_4bit: Bool = false
  load_in_8bit: Bool = false
  use_bnb_nested_quant: Bool = false
  use_liger_kernel: Bool = false
  use_liger: Bool = false
}

fn _accelerate(a: TrainerArguments) -> Bool = a.distributed_type == "FSDP" or a.fsdp != [] or a.fsdp_sharding_strategy != ""
fn _stage(a: TrainerArguments) -> Int = max(a.zero_optimization_stage, a.deepspeed_zero_stage)
fn _host(device: String) -> Bool = device == "cpu"
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])
fn _fsdp_kind(a: TrainerArguments) -> String = if _is(a.fsdp_sharding_strategy, ["SHARD_GRAD_OP", "2", "HYBRID_SHARD_ZERO2", "5"]) or
  _is(a.fsdp_reshard_after_forward, ["false", "SHARD_GRAD_OP"]) then "zero2" else if _is(
  a.fsdp_sharding_strategy,
  ["NO_SHARD", "3"],
) then "ddp" else "fsdp"
fn _sharding(a: TrainerArguments) -> String = if _accelerate(a) then _fsdp_kind(a) else match _stage(a) {
  0 -> "ddp"
  1 -> "zero1"
  2 -> "zero2"
  _ -> "fsdp"
}
fn _micro(a: TrainerArguments) -> Int =
  if a.train_micro_batch_size_per_gpu > 0 then a.train_micro_batch_size_per_gpu else a.per_device_train_batch_size
fn _accumulate(a: TrainerArguments) -> Int = max(a.gradient_accumulation_steps, a.deepspeed_gradient_accumulation_steps)
fn _launched(a: TrainerArguments) -> Int = max(
  a.launch_nproc_per_node * a.launch_nnodes,
  a.launch_num_gpus * a.launch_num_nodes,
  a.launch_num_processes,
  a.num_processes,
  if a.parallelism_dp_shard_size > 1 then a.parallelism_dp_replicate_size * a.parallelism_dp_shard_size * a.parallelism_tp_size *
    a.parallelism_cp_size else 0,
)
fn _half(a: TrainerArguments) -> DType =
  if a.fp16 or a.mixed_precision == "fp16" or (not a.bf16 and not a.bf16_enabled and a.fp16_enabled) then fp16 else bf16
fn _framework(a: TrainerArguments) -> Framework = if _accelerate(a) then accelerate_fsdp else deepspeed with {
  overlap = a.zero_optimization_overlap_comm
}
// Accelerate's FSDP in PyTorch's eager mode.
let accelerate_fsdp = torchtitan with { name = "Accelerate", loss = "copied", attention = "flash2" }
// TRL's: `get_peft_config` and `get_quantization_config`.
fn _tuned(a: TrainerArguments) -> Tuning = if not a.use_peft and a.use_llm_lora == 0 then {} else {
  method: "lora",
  rank: if a.use_llm_lora > 0 then a.use_llm_lora else a.lora_r,
  targets: if a.use_llm_lora > 0 then ["all"] else a.lora_target_modules,
  saved: a.lora_modules_to_save,
  dropped: a.lora_dropout > 0,
  decomposed: a.use_dora,
  stored: job_stored(a.load_in_4bit, a.load_in_8bit, a.use_bnb_nested_quant),
}
fn _again(a: TrainerArguments) -> Any = if a.gradient_checkpointing or a.fsdp_activation_checkpointing then framework_recompute(
  "full",
) else none
// Programs of preferences, rewards and reinforcement learning say so in their names (TRL's examples/scripts, InternVL's
// internvl/train).
let _preferences = words("dpo mpo kto orpo cpo bco xpo ppo grpo rloo gkd gold nash reward prm papo gspo sdpo tpo sdft ssd distillation")
fn trainer_job(a: TrainerArguments) -> Job = if any([_is(w, _preferences) for w in words(a.script, "_-")]) then refuse(
  "`" + a.script + ".py`: steps of reinforcement learning and preferences have no plan here yet",
) else {
  gpus: a.gpus,
  launched: _launched(a),
  gpu: a.gpu,
  framework: _framework(a),
  config: hf_config(a.model_config, a.model_name_or_path),
  text: a.text,
  seq: if a.max_length > 0 then a.max_length else 1024,
  micro: _micro(a),
  global: a.train_batch_size,
  accumulate: _accumulate(a),
  tp: max(a.parallelism_tp_size, a.tensor_parallel_autotp_size, 1),
  cp: max(a.parallelism_cp_size, a.parallelism_sp_size, a.sequence_parallel_size),
  heads: a.parallelism_sp_size > 1 or a.sequence_parallel_size > 1,
  copies: if _accelerate(a) then a.parallelism_dp_replicate_size else 1,
  sharding: _sharding(a),
  again: _again(a),
  recipe: if a.mixed_precision == "fp8" then "fp8" else "bf16",
  tiled: if a.use_liger_kernel or a.use_liger then "loss" else "",
  half: _half(a),
  optimizer: optimizer_named(if a.optimizer_type != "" then a.optimizer_type else a.optim),
  on_host: _host(a.zero_optimization_offload_optimizer_device) or _host(a.deepspeed_offload_optimizer_device) or
    a.zero_optimization_cpu_offload or a.fsdp_offload_params,
  tuned: _tuned(a),
}
let command_line = {
  about: "A job of Hugging Face's trainers: `trainspec import NAME` wrote it.",
  arguments: "TrainerArguments",
  gpu: "h100",
  gpus: "0",
  open: ["auto none null"],
  files: ["json yaml sh"],
  reads: ["deepspeed deepspeed_deepspeed_config_file deepspeed_config launch_config_file"],
  named: job_stages,
  prefixes: [
    { given: "fsdp_config_fsdp_", as: "fsdp_" },
    { given: "fsdp_config_", as: "fsdp_" },
    { given: "parallelism_config_parallelism_config_", as: "parallelism_" },
    { given: "parallelism_config_", as: "parallelism_" },
    { given: "deepspeed_config_", as: "deepspeed_" },
    { given: "max_seq_length", as: "max_length" },
    { given: "max_seq_len", as: "max_length" }, // of DeepSpeed-Chat
    { given: "zero_stage", as: "zero_optimization_stage" },
    { given: "offload", as: "zero_optimization_cpu_offload" },
    { given: "num_warmup_steps", as: "warmup_steps" },
    { given: "model_max_length", as: "max_length" },
    { given: "grad_checkpoint", as: "gradient_checkpointing" },
    { given: "model_id", as: "model_name_or_path" },
    { given: "actor_model_name_or_path", as: "model_name_or_path" },
    { given: "lm_model_name_or_path", as: "model_name_or_path" },
    { given: "llm_path", as: "model_name_or_path" }, // InternVL's, beside `vision_path`
    { given: "lora_dim", as: "use_llm_lora" },
    { given: "tensor_parallel_tp_size", as: "tensor_parallel_autotp_size" },
  ],
  plan: job_plan("trainer_job", tuned: true),
  harmless: deepspeed_harmless + [
    {
      why: "of DeepSpeed-Chat: data, records, and names of modules that its adapters are beside",
      names: [
        "data_split sft_only_data_path data_output_path enable_tensorboard tensorboard_path print_loss lora_module_name",
        "lora_learning_rate",
      ],
    },
    {
      why: "`num_processes` counts those of all machines, samples are full here, and both versions of FSDP are one",
      names: ["num_machines packing fsdp_version"],
    },
    {
      why: "DeepSpeed's ways of gathering and of buckets are as its profile has them",
      names: [
        "zero_optimization_contiguous_gradients zero_optimization_sub_group_size zero_optimization_prefetch_bucket_size zero_optimization_param_persistence_threshold zero_optimization_model_persistence_threshold zero_optimization_round_robin_gradients zero_optimization_use_multi_rank_bucket_allreduce zero_optimization_elastic_checkpoint zero_optimization_legacy_stage1 zero_optimization_parameter_alignment zero_optimization_memory_efficient_linear zero_optimization_pipeline_loading_checkpoint zero_optimization_override_module_apply zero_optimization_enable_sanity_checks zero_optimization_module_granularity_threshold zero_optimization_compute_grad_norm zero_optimization_offload_optimizer_pin_memory zero_optimization_offload_optimizer_fast_init zero_optimization_offload_param_pin_memory zero_optimization_offload_param_max_in_cpu zero_optimization_offload_*_cores_perc zero_optimization_cpu_offload_use_pin_memory zero_optimization_use_all_reduce_for_fetch_params zero_optimization_offload_optimizer_cpuadam_cores_perc zero_optimization_offload_optimizer_max_in_cpu",
      ],
    },
    {
      why: "numbers of the optimizer and of scales: a step takes as long with any",
      names: [
        "optimizer_legacy_fusion gradient_clipping gradient_predivide_factor prescale_gradients zero_allow_untested_optimizer zero_force_ds_cpu_optimizer steps_per_print wall_clock_breakdown memory_breakdown dump_state check_overflow managed_gradient_accumulation bf16_immediate_grad_update bf16_check_grad_overflow bf16_auto_cast sparse_gradients disable_allgather disable_python_gc load_universal use_node_local_storage gradient_allreduce_op train_stage use_data_before_expert_parallelism tensor_parallel_preset_model tensor_parallel_tp_grain_size dataloader_drop_last graph_harvesting",
      ],
    },
    {
      why: "Accelerate's ways to wrap, to load and to save",
      names: [
        "fsdp_cpu_ram_efficient_loading fsdp_sync_module_states fsdp_use_orig_params fsdp_state_dict_type fsdp_min_num_params fsdp_transformer_layer_cls_to_wrap fsdp_xla* fsdp_final_state_dict_type fsdp_cpu_offload_pin_memory deepspeed_zero3_* deepspeed_deepspeed_* deepspeed_gradient_clipping deepspeed_offload_optimizer_nvme_path deepspeed_offload_param_nvme_path mpirun_config_* parallelism_sp_seq_length parallelism_sp_seq_length_is_variable tpu_* downcast_bf16 ddp_broadcast_buffers ddp_find_unused_parameters full_determinism torch_empty_cache_steps auto_find_batch_size average_tokens_across_devices gradient_checkpointing_kwargs* activation_checkpointing_kwargs* use_reentrant accelerator_config* fsdp_config grad_checkpoint_kwargs attn_implementation use_cache tf32 use_cpu no_cuda use_ipex deepspeed accelerator_config parallelism_config evaluation_strategy label_names prediction_loss_only dispatch_batches greater_is_better fp16_opt_level past_index optim_args optim_target_modules mp_parameters dtype torch_dtype model_init_kwargs* packing_strategy pad_to_multiple_of pad_to_max_length assistant_only_loss mpirun_config command_file commands region pytorch_version transformers_version py_version sagemaker_inputs_file additional_args fp8_config deepspeed_config megatron_lm_config dynamo_config",
      ],
    },
    {
      why: "of pictures beside words, whose count a plan states by `max_length`",
      names: [
        "conv_style meta_path force_image_size max_dynamic_patch min_dynamic_patch down_sample_ratio drop_path_rate dynamic_image_size min_num_frame max_num_frame use_data_resampling use_custom_flash_attn use_thumbnail ps_version use_custom_trainer mlp_path vision_path pad2square num_images_expected max_packed_tokens max_buffer_size strict_mode replacement allow_overflow loss_reduction* split_annotations",
      ],
    },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "output_dir checkpoint_dir activation_checkpointing save_only_model save_strategy save_steps save_on_each_node",
        "save_total_limit enable_jit_checkpoint push_to_hub hub_token hub_private_repo hub_model_id hub_strategy",
        "hub_always_push hub_revision load_best_model_at_end restore_callback_states_from_checkpoint",
        "resume_from_checkpoint save_safetensors overwrite_output_dir push_to_hub_model_id push_to_hub_organization",
        "push_to_hub_token model_revision trust_remote_code grad_checkpoint",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: [
        "num_train_epochs max_steps learning_rate lr_scheduler_type lr_scheduler_kwargs lr_scheduler_kwargs_* warmup_steps weight_decay",
        "adam_beta1 adam_beta2 max_grad_norm label_smoothing_factor neftune_noise_alpha seed data_seed ddp_timeout",
        "warmup_ratio router_aux_loss_coef",
      ],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: ["adam_epsilon completion_only_loss"],
    },
    {
      why: "evaluation and generation between steps",
      names: [
        "bf16_full_eval eval_strategy eval_steps eval_delay per_device_eval_batch_size eval_on_start",
        "eval_do_concat_batches eval_use_gather_object eval_accumulation_steps do_train do_eval do_predict",
        "jit_mode_eval per_gpu_eval_batch_size dataset_test_split eval_packing test_split_size",
      ],
    },
    {
      why: "what is written, logged and watched beside steps",
      names: [
        "logging_strategy logging_steps logging_first_step log_on_each_node logging_nan_inf_filter",
        "include_num_input_tokens_seen log_level log_level_replica disable_tqdm report_to run_name project",
        "trackio_space_id trackio_bucket_id trackio_static_space_id include_for_metrics batch_eval_metrics",
        "metric_for_best_model debug skip_memory_metrics logging_dir include_inputs_for_metrics ray_scope",
        "include_tokens_per_second sagemaker_metrics_file log_freq",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "ignore_data_skip dataloader_num_workers dataloader_pin_memory dataloader_persistent_workers",
        "dataloader_prefetch_factor dataloader_multiprocessing_context dataloader_in_order remove_unused_columns",
        "train_sampling_strategy length_column_name split_batches group_by_length per_gpu_train_batch_size",
        "dataset_mixture dataset_mixture_* dataset_mixer dataset_mixer_* dataset_splits dataset_split dataset_configs dataset_prompt_column chat_template",
        "system_prompt preprocessing_num_workers dataset_kwargs_* hub_model_revision callbacks benchmarks wandb_entity wandb_project",
        "dataset_columns dataset_test_num_proc push_to_hub_revision overwrite_hub_revision tokenizer_name_or_path tokenizer_name",
        "chat_template_path dataset_config dataset_kwargs dataset_name dataset_num_proc dataset_streaming",
        "dataset_text_field dataset_train_split datasets eos_token pad_token padding_free shuffle_dataset streaming",
        "truncation_mode data_split cuda_visible_devices iam_role_name image_uri use_packed_ds use_fast_tokenizer bos_token_id data_path",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "ddp_backend local_rank half_precision_backend use_mps_device xpu_backend ignore_bias_buffers loss_type",
        "compute_environment machine_rank gpu_ids main_process_ip main_process_port rdzv_backend same_network",
        "main_training_function enable_cpu_affinity ec2_instance_type base_job_name bf16_bf16_master_weights_and_grads",
        "normalize_type",
      ],
    },
    {
      why: "numbers of adapters",
      names: ["bnb_4bit_quant_storage bnb_4bit_quant_type lora_alpha lora_target_parameters lora_task_type use_rslora"],
    },
  ],
  partly: deepspeed_partly + [
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "fp8_config_* dynamo_config_* communication_data_type",
        "seq_parallel_communication_data_type sequence_parallel_communication_data_type",
        "deepspeed_seq_parallel_communication_data_type parallelism_cp_comm_strategy parallelism_cp_backend parallelism_sp_backend",
        "parallelism_sp_attn_implementation fsdp_auto_wrap_policy fsdp_forward_prefetch",
        "fsdp_backward_prefetch fsdp_limit_all_gathers fsdp_mixed_precision_policy ddp_static_graph",
        "hybrid_engine_*",
      ],
    },
    {
      why: "weights of matrices are in bf16 here where they lie on the host, and come as the optimizer's do",
      but: ["none"],
      names: ["zero_optimization_offload_param_device deepspeed_offload_param_device zero_optimization_cpu_offload_param"],
    },
    {
      why: "kernels of other libraries are priced as PyTorch's",
      but: ["false"],
      names: ["use_liger use_liger_kernel liger_kernel_config torch_compile torch_compile_backend torch_compile_mode"],
    },
    { why: "the tower of pictures of InternVL is left out here: its time and memory come on top", names: ["vision_select_layer"] },
    { why: "buckets of sums are as the profile has them", names: ["ddp_bucket_cap_mb"] },
    { why: "parts of sequences are exchanged by heads here: `sp` of DeepSpeed", but: ["1"], names: ["parallelism_sp_size"] },
    {
      why: "activations that leave for the host have no plan in this importer yet",
      but: ["false"],
      names: ["activation_offloading fsdp_activation_cpu_offload"],
    },
    { why: "the whole of a model is trained here", but: ["false", "0"], names: ["freeze_llm freeze_mlp freeze_backbone"] },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "torchdynamo adafactor sharded_ddp use_legacy_prediction_loop",
        "zero_optimization_offload_optimizer_nvme_path zero_optimization_offload_optimizer_ratio",
        "zero_optimization_offload_optimizer_super_offload zero_optimization_offload_param_nvme_path",
        "zero_optimization_offload_param_pipeline_read zero_optimization_offload_param_pipeline_write",
        "zero_optimization_offload_param_fast_init zero_optimization_offload_param_ratio",
        "zero_optimization_offload_param_super_offload zero_optimization_offload_param_cpuadam_cores_perc",
        "bf16_bf16_optimizer_states tensor_parallel_tp_size unfreeze_vit_layers unfreeze_lm_head",
      ],
    },
  ],
  refused: deepspeed_refused + [
    {
      why: "steps of reinforcement learning and preferences have no plan here yet",
      names: [
        "beta max_prompt_length max_completion_length num_generations reward_funcs reward_weights use_vllm vllm_* rpo_alpha cpo_alpha simpo_gamma ref_model reference_free temperature top_p log_completions scale_rewards mask_truncated_completions desirable_weight undesirable_weight label_pad_token_id precompute_ref_log_probs loss_weights reward_model_path sft_model_path",
      ],
    },
    {
      why: "programs of DeepSpeedExamples with a model, a reward or a curriculum of their own have no plan here yet",
      names: ["num_padding_at_beginning cf random_ltd img_size img-size"],
    },
    { why: "adapters of towers have no plan here yet", but: ["false", "0"], names: ["use_backbone_lora"] },
    { why: "Accelerate's Megatron-LM has no plan here: import its own arguments", names: ["megatron_lm_config_* use_megatron_lm"] },
  ],
}
