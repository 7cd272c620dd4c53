// LLaMA-Factory's jobs as plans: its YAML and arguments (hiyouga/LLaMA-Factory, August 2026: src/llamafactory/hparams;
// v1's own names are known, too), beside those of Hugging Face's trainer. The model is Hugging Face's by name.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch, std.frameworks.optimizers, std.frameworks.deepspeed_keys

record LlamaFactoryArguments {
  gpus: Int
  gpu: String
  model_name_or_path: String = ""
  model_config: String = ""
  stage: String = "sft"
  cutoff_len: Int = 2048
  per_device_train_batch_size: Int = 8
  micro_batch_size: Int = 0 // v1
  global_batch_size: Int = 0 // v1
  gradient_accumulation_steps: Int = 1
  disable_gradient_checkpointing: Bool = false
  bf16: Bool = false
  fp16: Bool = false
  zero_optimization_stage: Int = -1
  zero_optimization_overlap_comm: Bool = true
  zero_optimization_offload_optimizer_device: String = "none"
  dist_config_name: String = ""
  optim: String = "adamw_torch_fused"
  optimizer_type: String = "" // of DeepSpeed's file, before it
  fsdp: List[String] = []
  cp_size: Int = 1
  finetuning_type: String = "lora"
  lora_rank: Int = 8
  lora_dropout: Real = 0
  lora_target: String = "all"
  additional_target: List[String] = []
  use_dora: Bool = false
  quantization_bit: Int = 16
  double_quantization: Bool = true
  freeze_trainable_layers: Int = 2
  freeze_extra_modules: List[String] = []
  peft_config_name: String = "none" // v1
  peft_config_r: Int = 8
  peft_config_lora_dropout: Real = 0
  peft_config_target_modules: List[String] = ["all"]
  peft_config_modules_to_save: List[String] = []
  peft_config_use_dora: Bool = false
  peft_config_freeze_trainable_layers: Int = 2
  quant_config_quantization_bit: Int = 16
  train_dataset: String = "" // v1 has it
  enable_liger_kernel: Bool = false
  use_liger_kernel: Bool = false
}
fn _is(word: Any, all: List) -> Bool = any([w == word for w in all])

fn _sharding(a: LlamaFactoryArguments) -> String = if a.dist_config_name == "fsdp2" or a.fsdp != [] or a.zero_optimization_stage == 3
  then "fsdp" else if a.zero_optimization_stage == 2 then "zero2" else if a.zero_optimization_stage == 1 then "zero1" else "ddp"
fn _bits(a: LlamaFactoryArguments) -> Int = min(a.quantization_bit, a.quant_config_quantization_bit)
fn _stored(a: LlamaFactoryArguments) -> Any = job_stored(_bits(a) < 8, _bits(a) == 8, a.double_quantization)
// Version 1 trains all that it has no `peft_config` for.
fn _tuned(a: LlamaFactoryArguments) -> Tuning = if a.peft_config_name != "none" then {
  method: a.peft_config_name,
  rank: a.peft_config_r,
  targets: a.peft_config_target_modules,
  saved: a.peft_config_modules_to_save,
  dropped: a.peft_config_lora_dropout > 0,
  decomposed: a.peft_config_use_dora,
  stored: _stored(a),
  layers: a.peft_config_freeze_trainable_layers,
} else if a.train_dataset != "" then {} else {
  method: a.finetuning_type,
  rank: a.lora_rank,
  targets: words(a.lora_target, ", "),
  saved: a.additional_target + a.freeze_extra_modules,
  dropped: a.lora_dropout > 0,
  decomposed: a.use_dora,
  stored: _stored(a),
  layers: a.freeze_trainable_layers,
}
fn llama_factory_job(a: LlamaFactoryArguments) -> Job = {
  gpus: a.gpus,
  gpu: a.gpu,
  framework: if a.zero_optimization_stage >= 0 then deepspeed with { overlap = a.zero_optimization_overlap_comm } else torchtitan with {
    name = "LLaMA-Factory"
    loss = "copied"
    attention = "flash2"
  },
  config: hf_config(a.model_config, a.model_name_or_path),
  text: true,
  seq: a.cutoff_len,
  micro: if a.micro_batch_size > 0 then a.micro_batch_size else a.per_device_train_batch_size,
  global: a.global_batch_size,
  accumulate: a.gradient_accumulation_steps,
  cp: a.cp_size,
  heads: true,
  sharding: _sharding(a),
  again: if a.disable_gradient_checkpointing then none else framework_recompute("full"),
  tiled: if a.enable_liger_kernel or a.use_liger_kernel then "loss" else "",
  half: if a.fp16 then fp16 else bf16,
  optimizer: optimizer_named(if a.optimizer_type != "" then a.optimizer_type else a.optim),
  on_host: a.zero_optimization_offload_optimizer_device == "cpu",
  tuned: _tuned(a),
}

let command_line = {
  about: "A job of LLaMA-Factory's: `trainspec import llama_factory` wrote it.",
  arguments: "LlamaFactoryArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml json sh"],
  open: ["auto none null None"],
  reads: ["deepspeed"],
  named: job_stages,
  prefixes: [
    { given: "model_name_or_path", as: "model_name_or_path" },
    { given: "model_revision", as: "model_revision" },
    { given: "model_max_length", as: "cutoff_len" },
    { given: "model_config", as: "model_config" },
    { given: "model_class", as: "model_class" },
    { given: "model", as: "model_name_or_path" },
  ],
  plan: job_plan("llama_factory_job", tuned: true),
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
        "gradient_checkpointing_kwargs gradient_checkpointing_kwargs_* fsdp_transformer_layer_cls_to_wrap use_unsloth_gc use_reentrant_gc rope_scaling model_class kernel_config kernel_config_* init_config init_config_* dist_config_dcp_path use_v1_kernels enable_activation_checkpointing packing neat_packing batching_strategy use_fast_tokenizer mix_strategy infer_backend",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "predict_with_generate save_predictions ray_* resources_per_worker resources_per_worker_* placement_strategy",
        "template dataset dataset_dir media_dir train_on_prompt mask_history streaming interleave_probs",
        "preprocessing_batch_size preprocessing_num_workers ignore_pad_token_for_loss tool_format default_system",
        "enable_thinking preserve_thinking data_shared_file_system disable_shuffling max_length",
        "account_for_embedding_in_pipeline_split account_for_loss_in_pipeline_split",
        "calculate_per_token_loss use_packed_sequences split_special_tokens add_tokens add_special_tokens",
        "new_special_tokens_config init_special_tokens use_kv_cache image_max_pixels image_min_pixels",
        "image_do_pan_and_scan video_max_pixels video_min_pixels video_fps video_maxlen use_audio_in_video",
        "audio_sampling_rate model_max_length custom_chat_template batching_workers",
        "average_tokens_across_devices use_cache ignore_data_skip dataloader_drop_last dataloader_num_workers",
        "dataloader_pin_memory dataloader_persistent_workers dataloader_prefetch_factor",
        "dataloader_multiprocessing_context dataloader_in_order remove_unused_columns train_sampling_strategy",
        "length_column_name group_by_length",
      ],
    },
    {
      why: "evaluation and generation between steps",
      names: [
        "eval_dataset eval_num_beams val_size eval_on_each_dataset early_stopping_steps do_sample temperature top_p",
        "top_k num_beams max_new_tokens length_penalty skip_special_tokens infer_dtype _kt_inference_config",
        "sample_backend eval_strategy eval_steps eval_delay per_device_eval_batch_size eval_on_start",
        "eval_do_concat_batches eval_use_gather_object eval_accumulation_steps do_train do_eval do_predict",
      ],
    },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "overwrite_cache save_dir download_mode megatron_pretrained_checkpoint export_hf_on_finish cache_dir",
        "model_revision low_cpu_mem_usage train_from_scratch hf_hub_token ms_hub_token om_hub_token trust_remote_code",
        "export_dir export_size export_device export_quantization_bit export_quantization_dataset",
        "export_quantization_nsamples export_quantization_maxlen export_legacy_format export_hub_model_id",
        "kt_expert_checkpoint_path device_map overwrite_output_dir output_dir mp_shard_size resume_from_checkpoint",
        "save_steps save_epochs save_ckpt_as_hf save_total_limit activation_checkpointing gradient_checkpointing",
        "gradient_checkpointing_kwargs save_only_model save_strategy save_on_each_node enable_jit_checkpoint",
        "push_to_hub hub_token hub_private_repo hub_model_id hub_strategy hub_always_push hub_revision",
        "load_best_model_at_end restore_callback_states_from_checkpoint save_safetensors",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: [
        "max_samples seed moe_aux_loss_coef learning_rate num_train_epochs max_steps max_grad_norm dist_timeout",
        "lr_scheduler_config lr_scheduler_type lr_scheduler_kwargs warmup_steps weight_decay adam_beta1 adam_beta2",
        "label_smoothing_factor neftune_noise_alpha torch_empty_cache_steps data_seed ddp_timeout warmup_ratio",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "task task_dir lang compute_accuracy use_distributed_optimizer compute_dtype master_addr master_port",
        "torch_compile_backend ddp_backend local_rank",
      ],
    },
    {
      why: "numbers of adapters, and those of other methods, which are refused where they are asked for",
      names: [
        "lora_alpha loraplus_lr_ratio loraplus_lr_embedding peft_config_* peft_config quant_config quant_config_*",
        "use_rslora pissa_init pissa_iter pissa_convert create_new_adapter module_dropout oft_rank",
        "oft_block_size oft_target galore_target galore_rank galore_update_interval galore_scale galore_proj_type",
        "galore_layerwise apollo_target apollo_rank apollo_update_interval apollo_scale apollo_proj apollo_proj_type",
        "apollo_scale_type apollo_layerwise apollo_scale_front badam_mode badam_start_block badam_switch_mode",
        "badam_switch_interval badam_update_ratio badam_mask_mode badam_verbose adapter_name_or_path adapter_folder",
        "quantization_method quantization_type quantization_device_map",
      ],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: [
        "pref_beta pref_ftx pref_bco_weight pref_loss dpo_label_smoothing kto_chosen_weight kto_rejected_weight",
        "simpo_gamma ppo_buffer_size ppo_epochs ppo_score_norm ppo_target ppo_whiten_rewards ref_model",
        "ref_model_adapters ref_model_quantization_bit reward_model reward_model_adapters reward_model_quantization_bit",
        "reward_model_type ld_alpha use_dft_loss use_asft_loss asft_alpha use_eaft_loss eaft_alpha repetition_penalty",
        "cross_entropy_loss_fusion vllm_maxlen vllm_gpu_util vllm_enforce_eager vllm_max_lora_rank vllm_config",
        "sglang_maxlen sglang_mem_fraction sglang_tp_size sglang_config sglang_lora_backend adam_epsilon",
      ],
    },
    {
      why: "what is written, logged and watched beside steps",
      names: [
        "use_swanlab swanlab_project swanlab_workspace swanlab_run_name swanlab_mode swanlab_api_key swanlab_logdir",
        "swanlab_lark_webhook_url swanlab_lark_secret plot_loss include_effective_tokens_per_second ray_num_workers",
        "ray_init_kwargs enable_torch_profiler profiler_output_dir profiler_wait_steps profiler_warmup_steps",
        "profiler_active_steps profiler_repeat profiler_record_shapes profiler_profile_memory profiler_with_stack",
        "profile_modules logging_steps logging_strategy logging_first_step log_on_each_node logging_nan_inf_filter",
        "include_num_input_tokens_seen log_level log_level_replica disable_tqdm report_to run_name project",
        "trackio_space_id trackio_bucket_id trackio_static_space_id include_for_metrics batch_eval_metrics",
        "metric_for_best_model debug skip_memory_metrics logging_dir",
      ],
    },
  ],
  partly: deepspeed_partly + [
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "communication_data_type compile_* tensor_parallel_* flash_attn",
        "use_unsloth enable_liger_kernel pure_bf16 dist_config_* mixture_of_depths freeze_* upcast_layernorm",
        "upcast_lmhead_output shift_attn resize_vocab moe_token_dispatcher_type",
      ],
    },
    {
      why: "products in fp8 are not followed: the plan has them in bf16",
      but: ["false"],
      names: ["fp8 fp8_backend fp8_enable_fsdp_float8_all_gather"],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "buffer_size tokenized_path batch_size n_shot megatron_bridge_args hyper_parallel_args hyper_parallel_cp_size",
        "tensor_model_parallel_size pipeline_model_parallel_size expert_model_parallel_size context_parallel_size",
        "virtual_pipeline_model_parallel_size sequence_parallel recompute_granularity recompute_method",
        "recompute_num_layers bias_activation_fusion apply_rope_fusion masked_softmax_fusion moe_grouped_gemm",
        "overlap_param_gather overlap_grad_reduce mixed_precision extra_config offload_folder print_param_status",
        "crop_to_patches kt_cpu_activation kt_weight_path kt_non_expert_weight_path kt_use_lora_experts",
        "kt_lora_expert_num kt_lora_expert_intermediate_size _kt_config_handle _kt_adapter_artifact_path",
        "block_diag_attn kt_config dp_size cp_mode mp_replicate_size optim_config full_determinism optim_args",
        "optim_target_modules tf32 torch_compile torch_compile_mode use_liger_kernel liger_kernel_config",
        "auto_find_batch_size prediction_loss_only greater_is_better use_cpu accelerator_config parallelism_config",
        "label_names ddp_find_unused_parameters ddp_bucket_cap_mb ddp_broadcast_buffers ddp_static_graph fsdp_config",
        "deepspeed evaluation_strategy",
      ],
    },
  ],
  refused: deepspeed_refused + [
    {
      why: "of adapters LoRA and its kin have a plan here",
      but: ["full", "lora", "freeze", "none"],
      names: ["finetuning_type peft_config_name"],
    },
    { why: "steps of reinforcement learning and preferences have no plan here yet", but: ["sft", "pt"], names: ["stage"] },
    {
      why: "weights of these bits have no plan here",
      but: ["4", "8", "none"],
      names: ["quantization_bit quant_config_quantization_bit"],
    },
    {
      why: "updates of a part of the weights, or through projections, have no plan here yet",
      but: ["false"],
      names: ["use_galore use_apollo use_badam use_adam_mini use_muon use_llama_pro use_kt use_mca use_megatron_bridge use_hyper_parallel"],
    },
  ],
}
