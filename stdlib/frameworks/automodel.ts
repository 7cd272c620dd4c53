// NeMo AutoModel's recipes as plans: its YAML (nemo_automodel 0.7). The model is Hugging Face's by name.
export import std.frameworks.job
import std.frameworks.profile, std.frameworks.torch

record AutomodelArguments {
  gpus: Int
  gpu: String
  model_pretrained_model_name_or_path: String = ""
  model_config_pretrained_model_name_or_path: String = ""
  model_config: String = ""
  dataset_seq_len: Int = 0
  dataset_seq_length: Int = 0
  packed_sequence_packed_sequence_size: Int = 0
  step_scheduler_global_batch_size: Int = 0
  step_scheduler_local_batch_size: Int = 1
  distributed_dp_size: Int = 0
  distributed_dp_replicate_size: Int = 1
  distributed_tp_size: Int = 1
  distributed_cp_size: Int = 1
  distributed_pp_size: Int = 1
  distributed_ep_size: Int = 1
  distributed_activation_checkpointing: Bool = false
  distributed_enable_async_tensor_parallel: Bool = false
  distributed_strategy: String = "fsdp2"
  distributed_moe_reshard_after_forward: Bool = true
  distributed_pipeline_pp_schedule: String = "1f1b"
  distributed_pipeline_pp_microbatch_size: Int = 1
  distributed_pipeline_layers_per_stage: Int = 0
  model_backend_dispatcher: String = ""
  benchmark_num_nodes: Int = 0
  ci_nodes: Int = 1
  fp8_enabled: Bool = false
  peft__target_: String = ""
  peft_dim: Int = 8
  peft_dropout: Real = 0
  peft_match_all_linear: Bool = false
  peft_target_modules: List[String] = []
  peft_use_dora: Bool = false
  quantization_load_in_4bit: Bool = false
  quantization_load_in_8bit: Bool = false
  quantization_bnb_4bit_use_double_quant: Bool = true
}
fn _name(a: AutomodelArguments) -> String =
  if a.model_pretrained_model_name_or_path != "" then a.model_pretrained_model_name_or_path
  else a.model_config_pretrained_model_name_or_path
fn _seq(a: AutomodelArguments) -> Int = max(a.dataset_seq_len, a.dataset_seq_length, a.packed_sequence_packed_sequence_size)
fn _tuned(a: AutomodelArguments) -> Tuning = if a.peft__target_ == "" then {} else {
  method: "lora",
  rank: a.peft_dim,
  targets: if a.peft_match_all_linear or a.peft_target_modules == [] then ["all"] else a.peft_target_modules,
  experts: true,
  dropped: a.peft_dropout > 0,
  decomposed: a.peft_use_dora,
  stored: job_stored(a.quantization_load_in_4bit, a.quantization_load_in_8bit, a.quantization_bnb_4bit_use_double_quant),
}
fn automodel_job(a: AutomodelArguments) -> Job = {
  gpus: a.gpus,
  launched: if a.distributed_dp_size > 0 then a.distributed_dp_size * a.distributed_tp_size * a.distributed_cp_size * a.distributed_pp_size
    else 8 * max(a.benchmark_num_nodes, a.ci_nodes),
  gpu: a.gpu,
  framework: nemo_automodel with {
    tensor = if a.distributed_enable_async_tensor_parallel then "ring" else "none"
    exchange = if a.model_backend_dispatcher == "deepep" then "deep_ep" else "all_to_all"
  },
  config: hf_config(a.model_config, _name(a), "model.pretrained_model_name_or_path"),
  text: true,
  seq: if _seq(a) > 0 then _seq(a) else 4096,
  micro: if a.distributed_pp_size > 1 then a.distributed_pipeline_pp_microbatch_size else a.step_scheduler_local_batch_size,
  global: a.step_scheduler_global_batch_size,
  tp: a.distributed_tp_size,
  cp: a.distributed_cp_size,
  ep: a.distributed_ep_size,
  pp: a.distributed_pp_size,
  chunks: if a.distributed_pp_size > 1 and a.distributed_pipeline_pp_schedule == "interleaved1f1b" then 2 else 1,
  copies: a.distributed_dp_replicate_size,
  sharding: if a.distributed_strategy == "ddp" then "ddp" else "fsdp",
  again: if a.distributed_activation_checkpointing then framework_recompute("full") else none,
  recipe: if a.fp8_enabled then "fp8" else "bf16",
  tuned: _tuned(a),
}

let command_line = {
  about: "A recipe of NeMo AutoModel's: `trainspec import automodel` wrote it.",
  arguments: "AutomodelArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml"],
  open: ["auto none null None"],
  plan: job_plan("automodel_job", tuned: true),
  harmless: [
    {
      why: "read, written, evaluated and logged beside steps",
      names: [
        "recipe seed benchmark_* step_scheduler_* dist_env_* rng_* checkpoint_* dataset_* dataloader_* validation_* lr_scheduler_* ci_* wandb_* mlflow_* comet_* logger_* tokenizer_* processor_* clip_grad_norm_* auto_resume* slurm_* nvtx* callbacks_* run_*",
      ],
    },
    {
      why: "as the profile of NeMo AutoModel has it",
      names: [
        "model__target_ model_router_aux_loss_coef model_torch_dtype model_trust_remote_code model_force_hf model_config__target_ model_output_* model_name_or_path distributed_defer_* distributed_patch_* distributed__target_ distributed_backend distributed_use_hf_tp_plan parallelizer_*",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "skypilot_accelerators skypilot_cloud skypilot_disk_size skypilot_hf_token skypilot_job_name",
        "skypilot_num_nodes skypilot_region skypilot_use_spot",
        "distributed ci distributed_moe model_backend distributed_pipeline dist_env",
      ],
    },
    { why: "data are read beside the step", names: ["dataloader dataset tool_call_eval_* embedding_row_repair_* recipe_*"] },
    { why: "numbers of adapters", names: ["peft_alpha peft_use_triton peft_dropout_position peft_lora_* peft_use_memory_efficient_lora"] },
    { why: "as bitsandbytes has it", names: ["quantization_bnb_* quantization_load_in_*"] },
    { why: "what is written, logged and watched beside steps", names: ["benchmark"] },
    { why: "numbers of the optimizer and of losses: a step takes as long with any", names: ["step_scheduler lr_scheduler"] },
    { why: "checkpoints, and where weights come from", names: ["checkpoint"] },
  ],
  partly: [
    { why: "stages have as many layers each here", names: ["distributed_pipeline_layers_per_stage"] },
    {
      why: "experts' weights are gathered again for a backward here",
      but: ["true"],
      names: ["distributed_moe_reshard_after_forward"],
    },
    {
      why: "it can change a step, and is not followed: the plan has what the profile has",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "model_config_* model_text_config_* model_backend_* model_attn_implementation distributed_enable_*",
        "distributed_moe_* distributed_pipeline_* distributed_mp_policy_* distributed_offload_policy*",
        "distributed_reshard_* distributed_sequence_parallel compile_* fp8_*",
        "freeze_config_* loss_fn_* packed_sequence_* optimizer_* distributed_autopipeline_* autopipeline_*",
        "model_use_* model_load_base_model model_mtp_* model_num_nextn_predict_layers distributed_multimodal_* model_drafter_path",
        "autocast_enabled autocast_dtype",
        "peft_exclude_modules peft_moe_* peft_freeze_* quantization_*",
      ],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: ["model loss_fn peft optimizer rng"],
    },
  ],
  refused: [
    {
      why: "a model that learns from another has no plan here yet",
      names: ["teacher_model_* teacher_distributed_* kd_ratio kd_loss_fn_* separate_meshes"],
    },
    {
      why: "models that fill in words by blocks, or draft for another, have no plan here yet",
      names: ["dllm_* dflash_* speculative_* eagle_*"],
    },
    {
      why: "of adapters LoRA has a plan here",
      but: ["nemo_automodel.components._peft.lora.PeftConfig"],
      names: ["peft__target_"],
    },
  ],
}
