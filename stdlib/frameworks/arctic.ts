// ArcticTraining's jobs as plans: its YAML (arctic_training 0.8). The model is Hugging Face's by name; sequences are
// dealt out by heads (Ulysses), weights by DeepSpeed.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch

record ArcticArguments {
  gpus: Int
  gpu: String
  model_name_or_path: String = ""
  model_config: String = ""
  data_max_length: Int = 8192
  micro_batch_size: Int = 1
  gradient_accumulation_steps: Int = 1
  sequence_parallel_size: Int = 1
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
  prefixes: [{ given: "deepspeed_zero_optimization_", as: "zero_optimization_" }],
  plan: job_plan("arctic_job", tuned: true),
  harmless: [
    {
      why: "read, written and counted beside steps",
      names: [
        "data_* min_iterations exit_iteration* train_* epochs logger_* checkpoint_* wandb_* tokenizer_* scheduler_* seed model_dtype model_save_name optimizer_* code eval_* loss_log_interval kill_switch_path overfit_first_batch mem_profiler* train_log_iter_interval skip_validation world_size",
      ],
    },
    { why: "how processes begin, find each other and are named", names: ["name_or_path local_rank global_rank name"] },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "save_name cache_dir checkpoint output_dir auto_resume save_every_n_steps save_every_n_epochs",
        "save_end_of_training print_output_ranks file_output_ranks",
      ],
    },
    { why: "numbers of adapters", names: ["peft_config model_peft_config model_peft_config_*"] },
    {
      why: "data are read beside the step",
      names: [
        "split sample_ratio sample_count max_length dl_num_workers use_data_cache cache_processed_data",
        "cache_fs_type fail_on_missing_cache tokenizer data",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: ["weight_decay learning_rate sample_seed scheduler"],
    },
    { why: "of steps of reinforcement learning and preferences, which are refused where they are asked for", names: ["betas"] },
    { why: "what is written, logged and watched beside steps", names: ["logger wandb project"] },
  ],
  partly: [
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: ["model_hf_config_kwargs_* deepspeed_* zero_* model_attn_implementation hf_config_kwargs"],
    },
    { why: "weights lie on the device here", but: ["none"], names: ["zero_optimization_offload_param_device"] },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "dtype attn_implementation tokenize_kwargs process sources num_proc model optimizer deepspeed enabled enable",
        "entity _aliases level",
      ],
    },
  ],
  refused: [
    { why: "of adapters LoRA has a plan here", but: ["LORA", "lora"], names: ["model_peft_config_peft_type"] },
    { why: "the trainer has no plan here yet: sft and causal are followed", but: ["sft", "causal"], names: ["type"] },
  ],
}
