// Primus's experiments over Megatron-LM as plans (AMD-AGI/Primus, August 2026): keys of its YAML are Megatron-LM's
// arguments. Its model is a published one by the name of a file; what its trainer leaves open is as
// primus/configs/modules/megatron/pre_trainer.yaml and trainer_base.yaml have it.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.nvidia, std.frameworks.megatron_core, std.frameworks.megatron_arguments,
  std.frameworks.megatron_others

record PrimusArguments {
  gpus: Int
  gpu: String
  primus_model: String = ""
  model_config: String = ""
  num_layers: Int = 0
  seq_length: Int = 1024
  micro_batch_size: Int = 2
  global_batch_size: Int = 16
  tensor_model_parallel_size: Int = 1
  pipeline_model_parallel_size: Int = 1
  context_parallel_size: Int = 1
  cp_comm_type: String = "p2p"
  expert_model_parallel_size: Int = 1
  expert_tensor_parallel_size: Int = 0
  virtual_pipeline_model_parallel_size: Int = 1
  num_virtual_stages_per_pipeline_rank: Int = 1
  decoder_first_pipeline_num_layers: Int = 0
  decoder_last_pipeline_num_layers: Int = 0
  use_distributed_optimizer: Bool = true
  use_torch_fsdp2: Bool = false
  use_megatron_fsdp: Bool = false
  data_parallel_sharding_strategy: String = "no_shard"
  overlap_grad_reduce: Bool = false
  recompute_granularity: String = ""
  recompute_modules: List[String] = ["core_attn"]
  recompute_num_layers: Int = 1
  recompute_method: String = ""
  fp8: String = ""
  fp8_recipe: String = "delayed"
  fp4: String = ""
  fp16: Bool = false
  cross_entropy_loss_fusion: Bool = false
  grad_reduce_in_bf16: Bool = false
  tp_comm_overlap: Bool = false
  use_turbo_deepep: Bool = false
  mtp_num_layers: Int = 0
  optimizer_cpu_offload: Bool = false
  use_precision_aware_optimizer: Bool = false
  exp_avg_dtype: String = "fp32"
  exp_avg_sq_dtype: String = "fp32"
  main_grads_dtype: String = "fp32"
  main_params_dtype: String = "fp32"
}
// Layers of which an experiment keeps the first alone.
fn _cut(config: Record, layers: Int) -> Record = if layers == 0 or layers == core_layers(config) then config
  else if field(config, "layer_types", []) != [] then refuse(
  "`num_layers` of a model whose layers differ has no plan here yet",
) else config with { num_hidden_layers = layers }
// Full recomputation is of `recompute_num_layers` layers of a stage by "block", and of all of them by "uniform".
fn _again(a: PrimusArguments) -> Any = if a.recompute_granularity == "full" and a.recompute_method == "block" and a.recompute_num_layers ==
  0 then none else core_again(a.recompute_granularity, a.recompute_modules)
fn _recipe(a: PrimusArguments) -> String = if a.fp4 != "" then refuse(
  "products in 4 bits have no plan on these GPUs yet: `fp4`",
) else core_recipe(a.fp8 != "", a.fp8_recipe)
// Models that are Primus's alone: as Mixtral's, with its words (primus/configs/models/megatron/grok1.yaml, grok2.yaml).
fn _grok(hidden: Int, ffn: Int, heads: Int) -> Record = {
  model_type: "mixtral",
  hidden_size: hidden,
  intermediate_size: ffn,
  num_attention_heads: heads,
  num_key_value_heads: 8,
  num_hidden_layers: 64,
  vocab_size: 32768,
  num_local_experts: 8,
  num_experts_per_tok: 2,
}
fn _config(a: PrimusArguments) -> Record = if a.model_config != "" then json(a.model_config) else match a.primus_model {
  "grok1.yaml" -> _grok(6144, 32768, 48)
  "grok2.yaml" -> _grok(8192, 16384, 64)
  _ -> hf_config("", a.primus_model, "model_config")
}
fn primus_job(a: PrimusArguments) -> Job = _job(a, _cut(_config(a), a.num_layers))
fn _job(a: PrimusArguments, config: Record) -> Job = {
  gpus: a.gpus,
  gpu: a.gpu,
  framework: megatron_core with {
    overlap = a.overlap_grad_reduce
    tensor = if a.tp_comm_overlap then "ring" else "stream"
    loss = if a.cross_entropy_loss_fusion then "fused" else "apart"
    gradients = core_gradients(a.grad_reduce_in_bf16, a.main_grads_dtype)
    exchange = if a.use_turbo_deepep then "deep_ep" else "all_to_all"
  },
  config: config,
  text: true,
  seq: a.seq_length,
  mtp: a.mtp_num_layers > 0,
  micro: a.micro_batch_size,
  global: a.global_batch_size,
  tp: a.tensor_model_parallel_size,
  cp: a.context_parallel_size,
  heads: a.cp_comm_type == "a2a",
  ep: a.expert_model_parallel_size *
    (if a.expert_tensor_parallel_size > 0 then a.expert_tensor_parallel_size else a.tensor_model_parallel_size),
  pp: a.pipeline_model_parallel_size,
  chunks: max(a.virtual_pipeline_model_parallel_size, a.num_virtual_stages_per_pipeline_rank),
  sizes: core_sizes(
    a.pipeline_model_parallel_size,
    a.decoder_first_pipeline_num_layers,
    a.decoder_last_pipeline_num_layers,
    core_layers(config),
  ),
  sharding: if a.use_torch_fsdp2 then "fsdp" else core_sharding(
    a.use_megatron_fsdp,
    a.data_parallel_sharding_strategy,
    a.use_distributed_optimizer,
  ),
  again: _again(a),
  recipe: _recipe(a),
  half: if a.fp16 then fp16 else bf16,
  on_host: a.optimizer_cpu_offload,
  optimizer: core_adam(
    a.use_precision_aware_optimizer,
    a.exp_avg_dtype,
    a.exp_avg_sq_dtype,
    a.main_params_dtype,
    if a.fp8 == "" then "" else a.fp8_recipe,
  ),
}

let primus_megatron_line = {
  about: "An experiment of Primus's over Megatron-LM: `trainspec import primus` wrote it.",
  arguments: "PrimusArguments",
  gpu: "mi300x",
  gpus: "0",
  files: ["yaml"],
  open: ["none null None"],
  defaults: true,
  prefixes: [
    { given: "modules_pre_trainer_overrides_", as: "" },
    { given: "modules_pre_trainer_", as: "primus_" },
    { given: "work_group", as: "primus_work_group" },
    { given: "user_name", as: "primus_user_name" },
    { given: "exp_name", as: "primus_exp_name" },
    { given: "workspace", as: "primus_workspace" },
  ],
  plan: job_plan("primus_job"),
  harmless: [
    {
      why: "names of Primus's files and folders",
      names: ["primus_work_group primus_user_name primus_exp_name primus_workspace primus_framework"],
    },
    {
      why: "what Primus logs, checks and saves beside steps",
      names: [
        "stderr_sink_level file_sink_level sink_level log_avg_skip_iterations log_avg_reset_interval disable_last_saving",
        "auto_continue_train disable_wandb disable_tensorboard disable_mlflow mlflow_run_name mlflow_experiment_name",
        "use_rocm_mem_info use_rocm_mem_info_iters disable_profiler_activity_cpu torch_profiler_record_shapes pp_warmup",
        "torch_profiler_with_stack torch_profiler_use_gzip use_nsys_profiler barrier_with_L1_time barrier_with_l1_time dump_pp_data trainable",
        "check_for_nan_in_loss_and_grad check_for_spiky_loss check_for_large_grads log_learning_rate_to_tensorboard",
        "log_loss_scale_to_tensorboard moe_router_force_load_balancing moe_router_force_load_balancing_type disable_compile_dependencies",
        "disable_delayed_scaling_patches create_attention_mask_in_dataloader mmap_bin_files stage enable_gloo_process_groups log_throughput",
      ],
    },
    {
      why: "kernels and buffers as the profile of Megatron-Core has them",
      names: [
        "sequence_parallel max_position_embeddings original_max_position_embeddings cross_entropy_fusion_impl masked_softmax_fusion",
        "gradient_accumulation_fusion apply_rope_fusion bias_swiglu_fusion bias_gelu_fusion bias_dropout_fusion moe_use_legacy_grouped_gemm",
        "moe_grouped_gemm overlap_param_gather align_grad_reduce align_param_gather overlap_p2p_comm accumulate_allreduce_grads_in_fp32 bf16 use_flash_attn",
        "attention_softmax_in_fp32 moe_router_dtype moe_token_dispatcher_type tokenizer_type tokenizer_model make_vocab_size_divisible_by",
        "fp8_wgrad ddp_bucket_size ddp_num_buckets empty_unused_memory_level no_fp8_weight_transpose_cache clip_grad",
        "moe_enable_deepep moe_shared_expert_overlap moe_router_padding_for_quantization moe_router_padding_for_fp8 layernorm_epsilon",
        "expert_tensor_parallel_size multi_latent_attention attention_backend transformer_impl",
      ],
    },
    {
      why: "kernels of Primus-Turbo, which are priced as the GPU's products and attention are",
      names: [
        "enable_primus_turbo use_turbo_attention use_turbo_grouped_gemm use_turbo_gemm use_turbo_autotune turbo_deepep_num_cu",
        "turbo_deepep_use_comm_stream turbo_sync_free_moe_stage use_turbo_rms_norm use_turbo_fused_act_with_probs turbo_gemm_backend",
        "turbo_grouped_gemm_backend turbo_grouped_gemm_without_padding moe_use_fused_router_with_aux_score use_turbo_norm_te_linear",
        "use_turbo_permute_padding use_sink_attention sink_sliding_window sink_window_even_layers_only",
      ],
    },
  ] + megatron_harmless,
  partly: [
    {
      why: "each file of the trainer is taken as Primus has it",
      but: ["pre_trainer.yaml"],
      names: ["primus_config"],
    },
    { why: "all layers of a stage are recomputed here", but: ["0"], names: ["recompute_num_layers"] },
    { why: "attention is in 16 bits here", but: ["false"], names: ["enable_turbo_attention_float8"] },
    { why: "stages have as many layers each here", names: ["pipeline_model_parallel_layout decoder_pipeline_manual_split_list"] },
    { why: "layers that are recomputed by their numbers are not followed", names: ["recompute_layer_ids"] },
    { why: "dropout is not there in models by name", but: ["0", "0.0"], names: ["hidden_dropout attention_dropout"] },
  ] + megatron_partly,
  refused: [
    {
      why: "a model of one's own has no plan here yet: give `model_config=config.json`",
      names: [
        "spec num_experts hidden_size ffn_hidden_size num_attention_heads num_query_groups hybrid_attention_enabled lfm_layer_types",
        "moe_ffn_hidden_size moe_router_topk window_size window_attn_skip_freq",
      ],
    },
    { why: "layers of experts are as the model has them", but: ["1"], names: ["moe_layer_freq"] },
    { why: "pipelines of Primus's own have no plan here yet", but: ["false"], names: ["patch_primus_pipeline patch_zero_bubble"] },
    { why: "adapters have no plan in this importer yet", but: ["false"], names: ["lora_enabled"] },
    { why: "on-demand communication has no plan here yet", but: ["false"], names: ["enable_odc"] },
    { why: "experts in one kernel with their messages have no plan here yet", but: ["false"], names: ["use_turbo_mega_moe"] },
  ] + megatron_refused,
}
