// ArcticTraining's jobs as plans: its YAML (arctic_training 0.8). The model is Hugging Face's by name; sequences are
// dealt out by heads (Ulysses), weights by DeepSpeed.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch, std.frameworks.deepspeed_keys

record ArcticArguments {
  gpus: Int
  gpu: String
  model_name_or_path: String = ""
  model_config: String = ""
  data_max_length: Int = 8192
  micro_batch_size: Int = 1
  gradient_accumulation_steps: Int = 1
  sequence_parallel_size: Int = 1
  expert_parallel_size: Int = 1
  disable_activation_checkpoint: Bool = false
  activation_checkpoint_cpu_offload: Bool = false
  model_disable_activation_checkpoint: Bool = false
  zero_optimization_stage: Int = 2
  zero_optimization_offload_optimizer_device: String = "none"
  type: String = "sft"
  model_type: String = "hf"
  tiled_mlp_compute: Bool = false
  model_peft_config_r: Int = 0
  model_peft_config_lora_dropout: Real = 0
  model_peft_config_target_modules: List[String] = []
  model_peft_config_use_dora: Bool = false
}
fn arctic_job(a: ArcticArguments) -> Job = {
  gpus: a.gpus,
  launched: a.sequence_parallel_size,
  gpu: a.gpu,
  framework: deepspeed with { name = "ArcticTraining", attention = "flash3", loss = "fused" },
  config: hf_config(a.model_config, a.model_name_or_path),
  text: true,
  seq: a.data_max_length,
  micro: a.micro_batch_size,
  accumulate: a.gradient_accumulation_steps,
  cp: a.sequence_parallel_size,
  ep: if a.expert_parallel_size > 1 then a.expert_parallel_size * a.sequence_parallel_size else 1,
  heads: true,
  sharding: if a.zero_optimization_stage == 3 then "fsdp" else if a.zero_optimization_stage == 2 then "zero2"
    else if a.zero_optimization_stage == 1 then "zero1" else "ddp",
  again: if a.disable_activation_checkpoint or a.model_disable_activation_checkpoint then none else framework_recompute("full"),
  tiled: (if a.model_type == "liger" then "loss " else "") + (if a.tiled_mlp_compute then "mlp" else ""),
  on_host: a.zero_optimization_offload_optimizer_device == "cpu",
  kept_on_host: a.activation_checkpoint_cpu_offload,
  tuned: if a.model_peft_config_r == 0 then {} else {
    method: "lora",
    rank: a.model_peft_config_r,
    targets: a.model_peft_config_target_modules,
    dropped: a.model_peft_config_lora_dropout > 0,
    decomposed: a.model_peft_config_use_dora,
  },
}

let command_line = {
  about: "A job of ArcticTraining's: `trainspec import arctic` wrote it.",
  arguments: "ArcticArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml"],
  open: ["auto none null None"],
  prefixes: [{ given: "deepspeed_", as: "" }],
  plan: job_plan("arctic_job", tuned: true),
  harmless: deepspeed_harmless + [
    {
      why: "data are read beside the step",
      names: [
        "data_type data_sources data_sources_* data_eval_sources data_eval_sources_* data_train_eval_split data_num_proc data_dl_num_workers data_seed",
        "data_use_data_cache data_cache_processed_data data_cache_dir data_cache_fs_type data_fail_on_missing_cache data_div_length",
        "data_mask_inputs data_filter_samples data_drop_last data_fuse_positions_prob data_repeat_to_pack_max_length data",
        "data_ignore_empty_think data_overflow_buffer tokenizer tokenizer_type tokenizer_name_or_path",
      ],
    },
    {
      why: "numbers of the optimizer and of adapters: a step takes as long with any",
      names: [
        "optimizer_weight_decay optimizer_betas optimizer_learning_rate optimizer_lr scheduler scheduler_name scheduler_warmup_ratio",
        "scheduler_learning_rate scheduler_scheduler_specific_kwargs scheduler_num_warmup_steps scheduler_num_decay_steps",
        "scheduler_min_lr_ratio seed peft_config model_peft_config model_peft_config_lora_alpha model_peft_config_task_type",
        "model_peft_config_bias model_peft_config_lora_bias model_peft_config_init_lora_weights model_peft_config_use_rslora",
      ],
    },
    {
      why: "begun, saved, logged and watched beside steps",
      names: [
        "min_iterations exit_iteration exit_iteration_this_run train_iters train_log_iter_interval train_log_metrics_path epochs",
        "eval_interval eval_log_iter_interval loss_log_interval skip_validation overfit_first_batch kill_switch_path mem_profiler",
        "mem_profiler_dir mem_profiler_max_entries world_size local_rank global_rank logger logger_level logger_output_dir",
        "logger_print_output_ranks logger_file_output_ranks wandb wandb_enable wandb_entity wandb_project wandb_name checkpoint",
        "checkpoint_type checkpoint_output_dir checkpoint_enabled checkpoint_auto_resume checkpoint_save_every_n_steps",
        "checkpoint_save_every_n_epochs checkpoint_save_end_of_training model_save_name",
      ],
    },
  ],
  partly: deepspeed_partly + [
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: ["model_hf_config_kwargs model_attn_implementation enable_arctic_moe_custom_optimization enable_routing_replay"],
    },
    { why: "samples are as long as `max_length` here", but: ["true"], names: ["data_pack_samples data_always_max_length data_pad_to"] },
    { why: "work is in bf16 here", but: ["bf16", "bfloat16"], names: ["model_dtype"] },
    { why: "weights lie on the device here", but: ["none"], names: ["zero_optimization_offload_param_device"] },
    { why: "the code of a trainer of one's own is not read", names: ["code"] },
  ],
  refused: deepspeed_refused + [
    { why: "sizes of a model that a file changes have no plan in this importer yet", names: ["model_hf_config_kwargs_*"] },
    { why: "Arctic's own experts have no plan here yet", but: ["false", "auto"], names: ["arctic_moe"] },
    {
      why: "the optimizer has no record here: Adam is followed",
      but: ["adam", "cpu_adam", "cpuadam", "fusedadam", "fused_adam", "adamw"],
      names: ["optimizer_type"],
    },
    { why: "of adapters LoRA has a plan here", but: ["LORA", "lora"], names: ["model_peft_config_peft_type"] },
    { why: "the trainer has no plan here yet: sft and causal are followed", but: ["sft", "causal"], names: ["type"] },
  ],
}
