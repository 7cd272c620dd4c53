// prime-rl's fine-tuning as plans: its TOML (PrimeIntellect-ai/prime-rl, August 2026: packages/prime-rl-configs, sft.py
// and trainer.py). FSDP2 of PyTorch; layers are recomputed, their inputs and the optimizer's states lie on the host,
// unless the file says otherwise. Its reinforcement learning is refused.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch, std.strategies.recompute

record PrimeArguments {
  gpus: Int
  gpu: String
  deployment_type: String = "single_node"
  deployment_num_train_gpus: Int = 1
  deployment_num_train_nodes: Int = 2
  deployment_gpus_per_node: Int = 8
  deployment_nodes_per_fsdp_group: Int = 0
  model_name: String = "Qwen/Qwen3-0.6B"
  model_config: String = ""
  model_compile: String = ""
  model_ac: String = ""
  model_ac_mode: String = "full"
  model_ac_freq: Int = 1
  model_ac_targets: List[String] = ["norm"]
  model_ac_offloading: String = ""
  model_fsdp_cpu_offload: Bool = false
  model_optim_cpu_offload: Bool = true
  model_full_offload: Bool = false
  model_reshard_after_forward: Bool = true
  model_dp_replicate: Int = 1
  model_ep: Int = 0 // 0: `auto`
  model_ep_comm_backend: String = "torch"
  model_cp: Int = 1
  model_cp_style: String = "ring"
  model_quantization_type: String = ""
  model_lora_rank: Int = 0
  model_lora_dropout: Real = 0.0
  model_lora_target_modules: List[String] = words("q_proj k_proj v_proj o_proj gate_proj up_proj down_proj experts")
  model_lora_modules_to_save: List[String] = []
  model_debug_num_layers: Int = 0
  data_batch_size: Int = 128
  data_micro_batch_size: Int = 1
  data_seq_len: Int = 128
  optim_type: String = "adamw"
}
fn _is_none(word: String) -> Bool = any([word == w for w in ["None", "none", "null", "false"]])
fn _gpus(a: PrimeArguments) -> Int =
  if a.gpus > 0 then a.gpus else if a.deployment_type == "multi_node" then a.deployment_num_train_nodes * a.deployment_gpus_per_node
  else a.deployment_num_train_gpus
fn _copies(a: PrimeArguments) -> Int = if a.deployment_type == "multi_node" and a.deployment_nodes_per_fsdp_group > 0
  then div(a.deployment_num_train_nodes, a.deployment_nodes_per_fsdp_group) else a.model_dp_replicate
fn _ep(a: PrimeArguments, config: Record) -> Int = if a.model_ep > 0 then a.model_ep else if hf_sparse_of(config, true)
  then min(8, div(_gpus(a), _copies(a))) else 1
// What `ac.targets` names, by Megatron-Core's names; what a model has not is passed over.
fn _module(target: String) -> String = match target {
  "norm" -> "layernorm"
  "mla_up_proj" -> "mla_up_proj"
  "mlp" -> "mlp"
  "routed_experts" -> "moe"
  _ -> "none"
}
fn _again(a: PrimeArguments) -> Any = if _is_none(a.model_ac) and _is_none(a.model_ac_offloading) then none else if a.model_ac_mode ==
  "selective" then framework_modules([_module(t) for t in a.model_ac_targets], discard: false) else full(every: a.model_ac_freq)
fn _cut(config: Record, layers: Int) -> Record = if layers == 0 then config else if field(config, "layer_types", []) != [] then refuse(
  "`debug.num_layers` of a model whose layers differ has no plan here yet",
) else config with { num_hidden_layers = layers }
fn prime_job(a: PrimeArguments) -> Job = if a.optim_type != "adamw" then refuse(
  "the optimizer `" + a.optim_type + "` has no record here: adamw is followed",
) else _job(a, _cut(hf_config(a.model_config, a.model_name, "model.name"), a.model_debug_num_layers))
fn _job(a: PrimeArguments, config: Record) -> Job = {
  gpus: _gpus(a),
  gpu: a.gpu,
  framework: torchtitan with {
    name = "prime-rl"
    loss = "copied"
    exchange = if a.model_ep_comm_backend == "deepep" then "deep_ep" else torchtitan.exchange
  },
  config: config,
  text: true,
  seq: a.data_seq_len,
  micro: a.data_micro_batch_size,
  global: a.data_batch_size,
  cp: a.model_cp,
  heads: a.model_cp_style == "ulysses",
  ep: _ep(a, config) * (if _ep(a, config) > 1 then a.model_cp else 1),
  copies: _copies(a),
  sharding: if a.model_reshard_after_forward then "fsdp" else "zero2",
  again: _again(a),
  recipe: if a.model_quantization_type == "fp8" then "fp8_block" else if a.model_quantization_type == "mxfp8" then "mxfp8" else "bf16",
  on_host: a.model_full_offload or a.model_fsdp_cpu_offload,
  states_on_host: a.model_optim_cpu_offload and not a.model_full_offload and not a.model_fsdp_cpu_offload,
  kept_on_host: not _is_none(a.model_ac_offloading),
  tuned: if a.model_lora_rank == 0 then {} else {
    method: "lora",
    rank: a.model_lora_rank,
    targets: a.model_lora_target_modules,
    saved: a.model_lora_modules_to_save,
    dropped: a.model_lora_dropout > 0,
    experts: any([t == "experts" for t in a.model_lora_target_modules]),
  },
}

let command_line = {
  about: "A job of prime-rl's: `trainspec import prime_rl` wrote it.",
  arguments: "PrimeArguments",
  gpu: "h100",
  gpus: "0",
  files: ["toml"],
  open: ["auto"],
  prefixes: [],
  plan: job_plan("prime_job", tuned: true),
  harmless: [
    {
      why: "what is logged, saved and begun beside steps",
      names: [
        "max_steps output_dir clean dry_run memory_profiler_path trace_path dist_timeout_seconds run_name run_dir ckpt resume_step resume_dir",
        "ckpt_output_dir ckpt_interval ckpt_keep_last ckpt_keep_interval ckpt_skip_progress ckpt_skip_scheduler ckpt_skip_dataloader",
        "ckpt_skip_optimizer log_level log_ranks_filter heartbeat_url gc_interval monitors_* wandb wandb_project wandb_name",
        "slurm_job_name slurm_project_dir slurm_template_path slurm_partition slurm_nodelist slurm_exclude slurm_account slurm_time env_vars_*",
        "ckpt_weights_* ckpt_resume_step ckpt_weights_only",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "data_type data_num_workers data_length data_input_ids data_seed data_name data_subsets data_splits data_probabilities",
        "data_stopping_strategy data_shuffle data_loss_mask_system data_loss_mask_user data_loss_mask_assistant data_loss_mask_tool",
        "tokenizer_name tokenizer_trust_remote_code tokenizer_chat_template renderer_name model_trust_remote_code model_conversion_dir",
      ],
    },
    {
      why: "evaluation and the servers of it have GPUs of their own",
      names: ["eval eval_* inference inference_* val_* weight_broadcast_*"],
    },
    {
      why: "evaluation has GPUs of its own",
      names: ["deployment_num_infer_gpus deployment_num_eval_gpus deployment_num_infer_nodes deployment_num_eval_nodes"],
    },
    {
      why: "numbers of the optimizer: a step takes as long with any",
      names: [
        "optim_lr optim_weight_decay optim_max_norm optim_betas1 optim_betas2 scheduler_type scheduler_warmup_steps scheduler_decay_steps",
        "scheduler_min_lr model_lora_alpha",
      ],
    },
    {
      why: "as the profile has it",
      names: [
        "model_impl model_attn model_moe_use_grouped_mm model_moe_router_dtype model_deepep_num_sms model_ac_offloading_pin_memory",
        "model_ac_offloading_max_inflight_activations model_full_offload_cpu_optimizer_backend model_full_offload_numa_bind matmul_precision",
        "model_fused_lm_head_token_chunk_size model_compile_fullgraph model_debug_random_init model_debug_force_balanced_routing model_seq_len",
        "model_vlm_vision_encoder_attr model_vlm_language_model_attr model_quantization_enable_grouped_gemm model_quantization_recipe",
        "model_quantization_ignore_patterns model_quantization_enable_a2a",
      ],
    },
  ],
  partly: [
    { why: "the whole of a layer is compiled here", but: [""], names: ["model_compile"] },
    {
      why: "projections of attention and mixers of state are kept here",
      but: ["norm", "mlp", "mla_up_proj", "routed_experts"],
      names: ["model_ac_targets"],
    },
    {
      why: "weights, states and sums are in fp32 here",
      but: ["float32"],
      names: ["model_optimization_dtype model_reduce_dtype"],
    },
    { why: "towers are frozen here, and not played", but: ["true"], names: ["model_vlm_freeze_vision_encoder"] },
    { why: "routers are trained here", but: ["false"], names: ["model_freeze_moe_router"] },
    { why: "pieces of a dispatch go one after the other here", names: ["model_deepep_token_chunk_size"] },
    { why: "each layer chooses its own words here", but: ["1"], names: ["model_index_cache_topk_freq model_index_cache_topk_pattern"] },
  ],
  refused: [
    {
      why: "steps of reinforcement learning have no plan here yet: files of fine-tuning (sft.toml) are followed",
      names: ["orchestrator orchestrator_* trainer trainer_* seq_len algo_* sampling_* batch_size"],
    },
    { why: "experts in one kernel have no plan here yet", but: ["false"], names: ["model_moe_fused_kernel"] },
  ],
}
