// MaxText and PaxML: JAX on TPUs. The compiler (XLA) schedules the whole step: no host, collectives
// beside work that does not need them, gradients from their backward to the update.
export import std.frameworks.job
import std.frameworks.profile, std.strategies.recompute, std.models.llama, std.import.hf_keys

let maxtext: Framework = {
  name: "MaxText",
  gradients: bf16,
  tensor: "stream",
  attention: "cudnn",
  arithmetic: { gemm: bf16 },
  loss: "fused",
  host: { launch: 0 us, collective: 0 us, message: 0 us, item: 0 us, step: 1 ms },
  sharding: "fsdp",
  shards: ["fsdp", "zero2"],
}

// What a layer computes again before its backward. MaxText's `remat_policy`: "full", "custom" and
// the like keep the layer's input, and of what it names (`query_proj` and so on) each that is kept
// on the device or offloaded (`kept`). The compiler leaves out what no gradient needs: the layer's
// last product. Sources: AI-Hypercomputer/maxtext, configs/base.yml and layers/decoders.py.
// Offloading itself takes no time here.
fn _in(x: String, all: List) -> Bool = sum([if y == x then 1 else 0 for y in all]) > 0
fn maxtext_remat(kept: List) -> Any = kept_by_name(
  _unneeded + (if _in("query_proj", kept) then ["*.qkv"] else []) + (if _in("context", kept) then ["attn.core"] else []) +
    (if _in("out_proj", kept) then ["*.proj"] else []) + (if _in("mlpwi", kept) then ["*.up", "*.gate"] else []),
)
let _unneeded = ["*.down", "*.bias", "*.combine", "*.sum", "mlp.norm", "mlp.residual", "moe.residual"]

// MaxText's own dense models (`global_parameter_scale`, a power of two): heads and width of the MLP
// double first, then the hidden size, then the layers (pyconfig.py, get_individual_scales).
fn _log2(n: Int) -> Int = floor(log2(n) + 0.5)
fn _two_to(n: Int) -> Int = round(pow(2, n))
fn maxtext_scaled(scale: Int, seq: Int = 2048) -> Model = llama(
  layers: 16 * _two_to(div(_log2(scale), 3)),
  hidden: 2048 * _two_to(div(_log2(scale) + 1, 3)),
  heads: 16 * _two_to(div(_log2(scale) + 2, 3)),
  kv_heads: 16 * _two_to(div(_log2(scale) + 2, 3)),
  head_dim: 128,
  ffn: 7168 * _two_to(div(_log2(scale) + 2, 3)),
  vocab: 32000,
  seq: seq,
)

// MaxText's runs as plans: its YAML and `key=value` (AI-Hypercomputer/maxtext, configs/base.yml, August 2026). A
// model is stated by sizes, or by the name of a published one. What base.yml leaves open is as it has it.

record MaxtextArguments {
  gpus: Int
  gpu: String
  model_name: String = ""
  model_config: String = ""
  decoder_block: String = "llama2"
  base_emb_dim: Int = 0
  base_num_query_heads: Int = 16
  base_num_kv_heads: Int = 16
  base_mlp_dim: Int = 7168
  base_moe_mlp_dim: Int = 0
  base_num_decoder_layers: Int = 16
  head_dim: Int = 128
  vocab_size: Int = 32000
  logits_via_embedding: Bool = false
  num_experts: Int = 1
  num_experts_per_tok: Int = 1
  shared_experts: Int = 0
  first_num_dense_layers: Int = 0
  interleave_moe_layer_step: Int = 1
  inhomogeneous_layer_cycle_interval: Int = 1
  routed_bias: Bool = false
  attention_type: String = "global"
  q_lora_rank: Int = 0
  kv_lora_rank: Int = 512
  qk_nope_head_dim: Int = 128
  qk_rope_head_dim: Int = 64
  v_head_dim: Int = 128
  sliding_window_size: Int = 0
  global_head_dim: Int = 0
  global_num_kv_heads: Int = 0
  share_kv_projections: Bool = false
  use_qk_norm: Bool = false
  gdn_conv_kernel_dim: Int = 4
  gdn_key_head_dim: Int = 128
  gdn_value_head_dim: Int = 128
  gdn_num_key_heads: Int = 16
  gdn_num_value_heads: Int = 32
  use_indexer: Bool = false
  per_device_batch_size: Real = 12.0
  max_target_length: Int = 2048
  gradient_accumulation_steps: Int = 1
  remat_policy: String = "full"
  quantization: String = ""
  weight_dtype: String = "float32"
  dcn_data_parallelism: Int = -1
  ici_data_parallelism: Int = 1
  dcn_fsdp_parallelism: Int = 1
  ici_fsdp_parallelism: Int = -1
  dcn_fsdp_transpose_parallelism: Int = 1
  ici_fsdp_transpose_parallelism: Int = 1
  dcn_tensor_parallelism: Int = 1
  ici_tensor_parallelism: Int = 1
  dcn_tensor_sequence_parallelism: Int = 1
  ici_tensor_sequence_parallelism: Int = 1
  dcn_context_parallelism: Int = 1
  ici_context_parallelism: Int = 1
  dcn_sequence_parallelism: Int = 1
  ici_sequence_parallelism: Int = 1
  dcn_pipeline_parallelism: Int = 1
  ici_pipeline_parallelism: Int = 1
  dcn_expert_parallelism: Int = 1
  ici_expert_parallelism: Int = 1
}
// Of a degree that is -1 as many as are left of a node of 8, or of the nodes.
fn _tp(a: MaxtextArguments) -> Int = a.dcn_tensor_parallelism * _node(a, a.ici_tensor_parallelism) * a.dcn_tensor_sequence_parallelism *
  _node(a, a.ici_tensor_sequence_parallelism)
fn _cp(a: MaxtextArguments) -> Int = a.dcn_context_parallelism * _node(a, a.ici_context_parallelism) * a.dcn_sequence_parallelism *
  _node(a, a.ici_sequence_parallelism)
fn _pp(a: MaxtextArguments) -> Int = a.dcn_pipeline_parallelism * _node(a, a.ici_pipeline_parallelism)
fn _known(n: Int) -> Int = if n < 1 then 1 else n
fn _in_node(a: MaxtextArguments) -> List[Int] = [
  a.ici_data_parallelism,
  a.ici_fsdp_parallelism,
  a.ici_fsdp_transpose_parallelism,
  a.ici_tensor_parallelism,
  a.ici_tensor_sequence_parallelism,
  a.ici_context_parallelism,
  a.ici_sequence_parallelism,
  a.ici_pipeline_parallelism,
  a.ici_expert_parallelism,
]
fn _ici(a: MaxtextArguments) -> Int = numel([_known(n) for n in _in_node(a)])
fn _ici_auto(a: MaxtextArguments) -> Int = max(1, div(8, _ici(a)))
fn _node(a: MaxtextArguments, n: Int) -> Int = if n == -1 then _ici_auto(a) else n
fn _dcn(a: MaxtextArguments) -> Int = _known(a.dcn_data_parallelism) * _known(a.dcn_fsdp_parallelism) * a.dcn_fsdp_transpose_parallelism *
  a.dcn_tensor_parallelism * a.dcn_tensor_sequence_parallelism * a.dcn_context_parallelism * a.dcn_sequence_parallelism *
  a.dcn_pipeline_parallelism * _known(a.dcn_expert_parallelism)
fn _inner(a: MaxtextArguments) -> Int = if any([n == -1 for n in _in_node(a)]) then _ici(a) * _ici_auto(a) else _ici(a)
fn _gpus(a: MaxtextArguments) -> Int = if a.gpus > 0 then a.gpus else _inner(a) * _dcn(a)
fn _out(a: MaxtextArguments, n: Int) -> Int = if n == -1 then max(1, div(_gpus(a), _inner(a) * _dcn(a))) else n
fn _ep(a: MaxtextArguments) -> Int = _node(a, a.ici_expert_parallelism) * _out(a, a.dcn_expert_parallelism)

fn _dense(a: MaxtextArguments, type: String) -> Record = {
  model_type: type,
  hidden_size: a.base_emb_dim,
  intermediate_size: a.base_mlp_dim,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
}
fn _experts(a: MaxtextArguments, type: String, width: Int) -> Record = {
  model_type: type,
  hidden_size: a.base_emb_dim,
  intermediate_size: width,
  moe_intermediate_size: width,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  num_experts: a.num_experts,
  num_experts_per_tok: a.num_experts_per_tok,
}
fn _mixtral(a: MaxtextArguments) -> Record = {
  model_type: "mixtral",
  hidden_size: a.base_emb_dim,
  intermediate_size: if a.base_moe_mlp_dim > 0 then a.base_moe_mlp_dim else a.base_mlp_dim,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  num_local_experts: a.num_experts,
  num_experts_per_tok: a.num_experts_per_tok,
}
fn _gpt3(a: MaxtextArguments) -> Record = {
  model_type: "gpt2",
  n_embd: a.base_emb_dim,
  n_layer: a.base_num_decoder_layers,
  n_head: a.base_num_query_heads,
  n_inner: a.base_mlp_dim,
  n_positions: 16384,
  vocab_size: a.vocab_size,
}
// Of the forms that a block has, by the keys of transformers (src/maxtext/configs/models, models/deepseek.py and others).
fn _width(a: MaxtextArguments) -> Int = if a.base_moe_mlp_dim > 0 then a.base_moe_mlp_dim else a.base_mlp_dim
fn _deepseek(a: MaxtextArguments) -> Record = if a.attention_type != "mla" then refuse(
  "`decoder_block`: layers of `deepseek` without latent attention (`attention_type`: mla) have no plan here yet",
) else if a.use_indexer then refuse("`use_indexer`: attention to a choice of words has no plan in this importer yet") else {
  model_type: if a.routed_bias then "deepseek_v3" else "deepseek_v2",
  hidden_size: a.base_emb_dim,
  intermediate_size: a.base_mlp_dim,
  moe_intermediate_size: _width(a),
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  n_routed_experts: a.num_experts,
  n_shared_experts: a.shared_experts,
  num_experts_per_tok: a.num_experts_per_tok,
  first_k_dense_replace: a.first_num_dense_layers,
  q_lora_rank: if a.q_lora_rank > 0 then a.q_lora_rank else none,
  kv_lora_rank: a.kv_lora_rank,
  qk_nope_head_dim: a.qk_nope_head_dim,
  qk_rope_head_dim: a.qk_rope_head_dim,
  v_head_dim: a.v_head_dim,
}
fn _windowed(a: MaxtextArguments, type: String, nth: Int) -> Record = {
  model_type: type,
  hidden_size: a.base_emb_dim,
  intermediate_size: a.base_mlp_dim,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  sliding_window: a.sliding_window_size,
  layer_types: [if (i + 1) % nth == 0 then "full_attention" else "sliding_attention" for i in 0..a.base_num_decoder_layers],
}
fn _gemma4(a: MaxtextArguments) -> Record = {
  model_type: "gemma4_text",
  hidden_size: a.base_emb_dim,
  intermediate_size: a.base_mlp_dim,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  sliding_window: a.sliding_window_size,
  global_head_dim: a.global_head_dim,
  num_global_key_value_heads: a.global_num_kv_heads,
  attention_k_eq_v: a.share_kv_projections,
  hidden_size_per_layer_input: 0,
  enable_moe_block: a.num_experts > 1,
  num_experts: a.num_experts,
  top_k_experts: a.num_experts_per_tok,
  moe_intermediate_size: _width(a),
}
fn _gpt_oss(a: MaxtextArguments) -> Record = {
  model_type: "gpt_oss",
  hidden_size: a.base_emb_dim,
  intermediate_size: _width(a),
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  sliding_window: a.sliding_window_size,
  num_local_experts: a.num_experts,
  num_experts_per_tok: a.num_experts_per_tok,
}
fn _llama4(a: MaxtextArguments) -> Record = {
  model_type: "llama4_text",
  hidden_size: a.base_emb_dim,
  intermediate_size: _width(a),
  intermediate_size_mlp: a.base_mlp_dim,
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  num_local_experts: a.num_experts,
  num_experts_per_tok: a.num_experts_per_tok,
  interleave_moe_layer_step: a.interleave_moe_layer_step,
  use_qk_norm: a.use_qk_norm,
}
fn _delta(a: MaxtextArguments, type: String) -> Record = {
  model_type: type,
  hidden_size: a.base_emb_dim,
  intermediate_size: a.base_mlp_dim,
  moe_intermediate_size: _width(a),
  shared_expert_intermediate_size: a.shared_experts * _width(a),
  num_attention_heads: a.base_num_query_heads,
  num_key_value_heads: a.base_num_kv_heads,
  num_hidden_layers: a.base_num_decoder_layers,
  head_dim: a.head_dim,
  vocab_size: a.vocab_size,
  tie_word_embeddings: a.logits_via_embedding,
  num_experts: a.num_experts,
  num_experts_per_tok: a.num_experts_per_tok,
  attn_output_gate: true,
  layer_types: [
    if (i + 1) % a.inhomogeneous_layer_cycle_interval == 0 then "full_attention" else "linear_attention"
      for i in 0..a.base_num_decoder_layers
  ],
  linear_conv_kernel_dim: a.gdn_conv_kernel_dim,
  linear_key_head_dim: a.gdn_key_head_dim,
  linear_value_head_dim: a.gdn_value_head_dim,
  linear_num_key_heads: a.gdn_num_key_heads,
  linear_num_value_heads: a.gdn_num_value_heads,
}
fn _sized(a: MaxtextArguments) -> Record = match a.decoder_block {
  "gpt3" -> _gpt3(a)
  "mixtral" -> _mixtral(a)
  "qwen3_moe" -> _experts(a, "qwen3_moe", if a.base_moe_mlp_dim > 0 then a.base_moe_mlp_dim else a.base_mlp_dim)
  "qwen3" -> _dense(a, "qwen3")
  "qwen2" -> _dense(a, "qwen2")
  "mistral" -> _dense(a, "llama")
  "gemma" -> _dense(a, "gemma")
  "gemma2" -> _dense(a, "gemma2")
  "gemma3" -> _windowed(a, "gemma3_text", 6)
  "gemma4" -> _gemma4(a)
  "olmo3" -> _windowed(a, "olmo3", max(1, a.inhomogeneous_layer_cycle_interval))
  "deepseek" -> _deepseek(a)
  "gpt_oss" -> _gpt_oss(a)
  "llama4" -> _llama4(a)
  "qwen3_next" -> _delta(a, "qwen3_next")
  "qwen3_5" -> _delta(a, "qwen3_5_moe_text")
  "llama2" -> if a.num_experts > 1 then _mixtral(a) else _dense(a, "llama")
  "default" -> _dense(a, "llama")
  _ -> refuse(
    "`decoder_block`: layers of `" + a.decoder_block +
      "` by their sizes have no plan here yet: say `model_name`, or `model_config=config.json`",
  )
}
fn _config(a: MaxtextArguments) -> Record = if a.base_emb_dim > 0 then _sized(a) else if a.model_name == "" or a.model_name == "default" then refuse(
  "a run needs `model_name`, or `base_emb_dim` and the other sizes",
) else hf_config(a.model_config, a.model_name, "model_name")
let _policies = [
  { names: "full", kept: [] },
  { names: "minimal minimal_offloaded save_dot_except_logits", kept: ["query_proj", "out_proj", "mlpwi"] },
  {
    names: "minimal_flash minimal_with_context minimal_with_context_and_quantization minimal_with_quantization custom",
    kept: ["query_proj", "context", "out_proj", "mlpwi"],
  },
  { names: "save_dot_except_mlp save_dot_except_mlpwi", kept: ["query_proj", "out_proj"] },
  { names: "save_dot_with_context_except_mlp", kept: ["query_proj", "context", "out_proj"] },
  { names: "save_qkv_proj qkv_proj_offloaded", kept: ["query_proj"] },
  { names: "save_out_proj", kept: ["out_proj"] },
]
fn _again(policy: String) -> Any = if policy == "none" then none else _kept([p.kept for p in _policies if hf_is(policy, p.names)], policy)
fn _kept(found: List, policy: String) -> Any = if found == [] then refuse(
  "`remat_policy`: " + policy + " has no plan here yet",
) else maxtext_remat(found[0])
fn _recipe(quantization: String) -> String = if quantization == "" then "bf16"
  else if hf_is(quantization, "fp8 nanoo_fp8 fp8_full fp8_gpu te_fp8_delayedscaling te_fp8_currentscaling") then "fp8"
  else if quantization == "te_mxfp8" then "mxfp8" else refuse("`quantization`: " + quantization + " has no plan here yet: fp8")
fn maxtext_job(a: MaxtextArguments) -> Job = {
  gpus: _gpus(a),
  gpu: a.gpu,
  framework: maxtext,
  config: _config(a),
  text: true,
  seq: a.max_target_length,
  micro: max(1, round(a.per_device_batch_size * _tp(a) * _cp(a) / max(1, a.gradient_accumulation_steps))),
  accumulate: max(1, a.gradient_accumulation_steps),
  tp: _tp(a),
  cp: _cp(a),
  ep: _ep(a) * (if _ep(a) > 1 then _tp(a) * _cp(a) else 1),
  pp: _pp(a),
  copies: _node(a, a.ici_data_parallelism) * _out(a, a.dcn_data_parallelism),
  sharding: "fsdp",
  again: _again(a.remat_policy),
  recipe: _recipe(a.quantization),
  narrow: match a.weight_dtype {
    "float32" -> false
    "bfloat16" -> true
    _ -> refuse("`weight_dtype`: " + a.weight_dtype + " has no plan here yet: float32 or bfloat16")
  },
}

let maxtext_line = {
  about: "A run of MaxText's: `trainspec import maxtext` wrote it.",
  arguments: "MaxtextArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml"],
  open: ["none null None"],
  prefixes: [],
  plan: job_plan("maxtext_job"),
  harmless: [
    {
      why: "read, written and watched beside steps",
      names: [
        "base_config run_name base_output_directory *_directory enable_checkpointing enable_continuous_checkpointing",
        "enable_single_replica_ckpt_restoring enable_orbax_v1 enable_autocheckpoint enable_wandb",
        "enable_multi_tier_checkpointing enable_emergency_checkpoint enable_rampup_batch_size",
        "enable_tpu_profiling_options enable_dropout enable_data_shuffling enable_diloco enable_streaming_diloco",
        "enable_goodput_recording enable_pathways_goodput enable_gcp_goodput_metrics enable_gcp_step_deviation_metrics",
        "enable_tensorboard enable_model_warmup enable_llm_inference_pool enable_jax_profiler",
        "enable_checkpoint_cloud_logger enable_single_controller enable_prefix_caching enable_padding_causal_mask",
        "enable_nnx enable_mhc_lite dataset_type dataset_path dataset_name eval_per_device_batch_size eval_data_columns",
        "eval_image_column eval_dataset_name eval_split eval_start_step eval_interval eval_steps hf_lora_adapter_path",
        "hf_path hf_name hf_data_dir hf_train_files hf_eval_split hf_eval_files hf_access_token grain_train_files",
        "grain_eval_files grain_train_mixture_config_path grain_file_type grain_packing_type grain_worker_count",
        "grain_per_worker_buffer_size grain_num_threads grain_prefetch_buffer_size grain_worker_count_eval",
        "grain_per_worker_buffer_size_eval grain_ram_budget_mb grain_num_threads_eval grain_prefetch_buffer_size_eval",
        "grain_data_source_max_workers grain_index_storage_option grain_shuffle_buffer_size grain_use_elastic_iterator",
        "tokenizer_path tokenizer_type tokenize_train_data tokenize_eval_data steps learning_rate",
        "learning_rate_final_fraction learning_rate_schedule_steps warmup_steps_fraction lr_schedule_type adam_b1",
        "adam_b2 adam_eps adam_eps_root adam_weight_decay gradient_clipping_threshold checkpoint_period",
        "checkpoint_todelete_subdir checkpoint_todelete_full_path checkpoint_storage_target_data_file_size_bytes",
        "checkpoint_storage_use_ocdbt checkpoint_storage_use_zarr3 checkpoint_storage_concurrent_gb",
        "checkpoint_conversion_fn checkpoint_is_quantized save_checkpoint_on_start save_checkpoint_on_completion",
        "save_config_to_gcs save_quantized_params_path load_parameters_path load_full_state_path",
        "load_balance_loss_weight load_from_prefill_dir profiler profiler_steps metrics_file monitor_goodput",
        "monitor_step_time_deviation hardware reuse_example_batch data_sharding data_shuffle_seed jax_cache_dir",
        "jax_distributed_initialization_timeout jax_debug_log_modules jax_profiler_port init_weights_seed",
        "max_segments_per_seq trainable_position_size rope_type rope_linear_scaling_factor rope_use_scale",
        "rope_min_timescale rope_max_timescale rope_factor rope_interleave rope_truncate rope_attention_scaling",
        "rope_pairwise rope_theta_for_vit normalization_layer_epsilon normalize_embedding_logits norm_topk_prob",
        "async_checkpointing log_period compile_xla_flags compile_topology compile_topology_num_slices target_eval_loss",
        "abort_on_nan_loss abort_on_inf_loss skip_jax_distributed_system skip_first_n_steps_for_profiler",
        "skip_step_on_spikes skip_step_interval skip_step_scaling_factor packing add_bos add_eos use_truncation",
        "max_corpus_chars num_epoch",
      ],
    },
    {
      why: "XLA's and the kernels' choices, as the profile of MaxText has them",
      names: [
        "attention",
        "scan_layers scan_pipeline_iterations scan_pipeline_repeats scan_layers_per_stage param_scan_axis",
        "use_iota_embed logits_dot_in_fp32 cast_logits_to_fp32 float32_qk_product float32_logits float32_weight_sum",
        "float32_gate_logits activations_in_float32 matmul_precision dtype grad_dtype mlp_activations",
        "mlp_activations_limit fused_qkv fused_mlp megablox sparse_matmul",
        "wi_tile_fwd_batch_seq wi_tile_fwd_embed_dim wi_tile_fwd_mlp_dim wi_tile_dlhs_batch_seq wi_tile_dlhs_embed_dim",
        "wi_tile_dlhs_mlp_dim wi_tile_drhs_batch_seq wi_tile_drhs_embed_dim wi_tile_drhs_mlp_dim wo_tile_fwd_batch_seq",
        "wo_tile_fwd_embed_dim wo_tile_fwd_mlp_dim wo_tile_dlhs_batch_seq wo_tile_dlhs_embed_dim wo_tile_dlhs_mlp_dim",
        "wo_tile_drhs_batch_seq wo_tile_drhs_embed_dim wo_tile_drhs_mlp_dim sa_block_q sa_block_kv sa_block_kv_compute",
        "sa_block_q_dkv sa_block_kv_dkv sa_block_kv_dkv_compute sa_block_q_dq sa_block_kv_dq sa_use_fused_bwd_kernel",
        "sa_bwd_dkv_megacore sa_q_layout sa_k_layout sa_v_layout sa_fuse_reciprocal sa_use_base2_exp local_sa_block_q",
        "local_sa_block_kv local_sa_block_kv_compute local_sa_block_q_dkv local_sa_block_kv_dkv",
        "local_sa_block_kv_dkv_compute local_sa_block_q_dq local_sa_block_kv_dq local_sa_use_fused_bwd_kernel",
        "local_sa_q_layout local_sa_k_layout local_sa_v_layout local_sa_fuse_reciprocal local_sa_use_base2_exp",
        "use_ragged_sort use_ragged_attention use_gmm_v2 use_tokamax_gmm use_tokamax_splash merge_gating_gmm",
        "logical_axis_rules override_model_config override_logical_axis_rules mesh_axes data_sharding shard_mode",
        "allow_split_physical_axes optimize_mesh_for_tpu_v6e sharding_tolerance sharding_strategy replicate_quant_scale",
        "opt_type decoder_layer_input context mlpwi mlpwi_0 mlpwi_1 mlpwo query_proj key_proj",
        "value_proj qkv_proj out_proj moe_mlpwi_0 moe_mlpwi_1 moe_mlpwo mla_qk_head_chunk_size mla_q mla_kv",
        "mla_naive_kvcache num_layers_per_pipeline_stage num_pipeline_repeats num_pipeline_microbatches",
        "pipeline_parallel_layers pipeline_delay_activation_forwarding pipeline_fsdp_ag_once",
        "pipeline_fsdp_ag_per_repeat context_parallel_load_balance context_parallel_strategy",
        "context_parallel_reorder_strategy routed_scaling_factor routed_score_func routed_bias_update_rate",
        "topk_routing_group n_routing_groups ",
        "chunk_attn_window_size attn_logits_soft_cap",
        "final_logits_soft_cap use_post_attn_norm use_post_ffw_norm nope_layer_interval",
        "use_random_routing num_vocab_tiling custom_mesh shardy global_parameter_scale dense_init_scale model_call_mode",
        "attention_bias attention_sink partial_rotary_factor ",
        "gdn_chunk_size temperature_tuning",
        "mtp_num_layers mtp_loss_scaling_factor mtp_eval_target_module",
        "use_qwix_quantization use_manual_quantization use_custom_sort_vjp use_gather_mosaic_kernel",
        "use_batch_split_schedule use_double_wide_mlp use_sliced_mla_proj use_qk_clip",
        "use_chat_template use_truncation use_dpo use_sft use_sequential_layers use_untrainable_positional_embedding",
        "use_vertex_tensorboard use_splash_scheduler use_max_logit_estimate use_chunked_prefill use_multimodal",
        "use_audio use_audio_in_video use_mrope use_qk_norm_in_gdn use_jax_splash use_mhc_pallas_kernel",
        "quantize_kvcache kv_quant_axis kv_quant_dtype constant_bound_config quant_cfg_path",
        "weight_quantization_calibration_method act_quantization_calibration_method bwd_quantization_calibration_method",
        "max_position_embeddings original_max_position_embeddings mscale beta_fast beta_slow stack_prefill_result_cache",
        "prefill_cache_dir prefill_slice prefill_cache_axis_order prefill_chunk_size ar_cache_axis_order reshape_q",
        "compute_axis_order",
      ],
    },
    {
      why: "of adapters and of weights in 4 and 8 bits, which are refused where they are asked for",
      names: ["lora_input_adapters_path quantization_local_shard_count"],
    },
    {
      why: "checkpoints, and where weights come from",
      names: [
        "max_num_checkpoints_to_keep source_checkpoint_layout colocated_python_checkpointing attention_output_dim",
        "multi_tier_checkpointing_backup_interval_minutes multi_tier_checkpointing_backup_interval_steps",
        "local_checkpoint_directory local_checkpoint_period vision_output_length vision_output_dim_for_vit",
        "output_dim_for_audio",
      ],
    },
    {
      why: "what is written, logged and watched beside steps",
      names: [
        "gcs_metrics log_moe_bias_norms vision_encoder_block audio_encoder_block wandb_project_name wandb_run_name moe_fsdp_use_two_stage_all_gather",
        "set_remat_policy_on_layers_per_stage record_internal_nn_metrics",
        "input_data_sharding_logical_axes logical_axis_rules_for_eval dense_fsdp_use_two_stage_all_gather",
        "block_diffusion_logit_alignment upload_all_profiler_results hide_profiler_step_metric profile_cleanly",
        "profile_periodically_period tpu_num_chips_to_profile_per_task managed_mldiagnostics_on_demand_profiling",
        "dump_hlo dump_step dump_hlo_local_dir dump_hlo_delete_local_after dump_hlo_gcs_dir dump_hlo_local_module_name",
        "dump_hlo_module_name dump_hlo_xla_flags dump_hlo_upload_all dump_jaxpr dump_jaxpr_local_dir",
        "dump_jaxpr_delete_local_after dump_jaxpr_gcs_dir goodput_upload_interval_seconds",
        "report_heartbeat_metric_for_gcp_monitoring heartbeat_reporting_interval_in_seconds",
        "report_performance_metric_for_gcp_monitoring vertex_tensorboard_project vertex_tensorboard_region",
        "inference_microbenchmark_prefill_lengths inference_microbenchmark_stages inference_microbenchmark_loop_iters",
        "inference_microbenchmark_log_file_path inference_microbenchmark_num_samples inference_benchmark_test",
        "return_log_prob prometheus_port profile_power_events log_config debug_sharding projector_input_dim_for_vit",
        "projector_output_dim_for_vit projector_dropout_for_vit",
      ],
    },
    {
      why: "data are read beside the step",
      names: [
        "num_moe_token_chunks moe_expert_input_dim batch_split_factor hidden_size_per_layer_input",
        "vocab_size_per_layer_input o_groups mtc_data_parallelism chat_template_path",
        "chat_template train_data_columns train_image_column default_prompt train_split colocated_python_data_input",
        "olmo_index_path olmo_path_remap_from olmo_path_remap_to olmo_apply_ngram_filter prompt",
        "managed_mldiagnostics_run_group remove_size_one_mesh_axis_from_type freeze_audio_encoder_params",
        "image_size_for_vit image_path video_path audio_path image_placeholder video_placeholder audio_placeholder",
        "video_max_grid_t video_max_grid_h video_max_grid_w pixel_shuffle_ratio_for_vit d_model_for_audio",
        "encoder_attention_heads_for_audio encoder_ffn_dim_for_audio encoder_layers_for_audio",
        "attention_dropout_for_audio activation_dropout_for_audio activation_function_for_audio num_mel_bins_for_audio",
        "max_source_positions_for_audio scale_embedding_for_audio n_window_for_audio conv_chunksize_for_audio",
        "downsample_hidden_size_for_audio num_conv_layers_for_audio max_timescale_for_audio max_sample_len_for_audio",
      ],
    },
    {
      why: "how processes begin, find each other and are named",
      names: [
        "shard_exp_on_fsdp o_lora_rank custom_mesh_and_rule check_vma per_device_batch_size_start",
        "per_device_batch_size_increment tpu_num_sparse_core_tiles_to_trace tpu_num_sparse_cores_to_trace",
        "local_rope_max_timescale local_rope_proportion xprof_tpu_power_trace_level posemb_type_for_vit",
      ],
    },
    {
      why: "numbers of the optimizer and of losses: a step takes as long with any",
      names: [
        "set_remat_policy_on_pipeline_iterations z_loss_multiplier qk_clip_threshold global_rampup_samples",
        "block_diffusion_min_noise wsd_decay_steps_fraction wsd_decay_style diloco_outer_lr diloco_outer_momentum",
        "num_communication_overlapping_steps muon_weight_decay muon_consistent_rms local_use_splash_scheduler",
        "dq_reduction_steps sinkhorn_iterations engram_seed elastic_timeout_seconds",
      ],
    },
    {
      why: "evaluation and generation between steps",
      names: [
        "indexer_use_approx_top_k indexer_approx_top_k_recall custom_mesh_and_rule_for_eval",
        "dcn_context_autoregressive_parallelism dcn_autoregressive_parallelism ici_context_autoregressive_parallelism",
        "ici_autoregressive_parallelism generate_padding_batch_train generate_padding_batch_eval",
        "max_prefill_predict_length autoregressive_decode_assert decode_sampling_strategy decode_sampling_nucleus_p",
        "decode_sampling_top_k decode_sampling_temperature inference_metadata_file inference_server generate_slice",
        "n_window_infer_for_audio",
      ],
    },
    {
      why: "of steps of reinforcement learning and preferences, which are refused where they are asked for",
      names: [
        "expansion_factor_real_data sft_train_on_completion_only muon_beta vllm_hf_config_path vllm_hf_overrides",
        "vllm_additional_config distill_alpha distill_temperature distill_beta distill_feature_loss_type",
        "distill_layer_indices distill_alpha_end distill_alpha_schedule distill_temperature_end",
        "distill_temperature_schedule distill_beta_end distill_beta_schedule",
      ],
    },
  ],
  partly: [
    { why: "no word is dropped here: an expert takes all that it gets", but: ["-1.0", "-1"], names: ["capacity_factor"] },
    { why: "layers have no dropout here", but: ["0.0", "0"], names: ["dropout_rate"] },
    {
      why: "moments are in the format of the weights here",
      but: [""],
      names: ["mu_dtype"],
    },
    {
      why: "its effect is not followed: the plan has the default",
      but: ["false", "none", "0", "no", "", "null", "off", "False"],
      names: [
        "shard_optimizer_over_data use_ring_of_experts use_2d_fsdp_sharding",
        "force_unroll weight_sparsity_n weight_sparsity_m weight_sparsity_update_step weight_sparsity_start_step",
        "te_comm_gemm_overlap moe_chunk_barrier ragged_buffer_factor",
        "num_moe_emb_chunks moe_dispatch_no_expert_sharding ragged_gather_fallback ragged_gather_reduce_fallback",
        "ragged_gather_cost_estimate_flops ragged_gather_reduce_cost_estimate_flops",
        "ragged_gather_cost_estimate_bytes_accessed ragged_gather_reduce_cost_estimate_bytes_accessed mlp_bias",
        "first_num_hash_layers indexer_cutoff_threshold kv_proj query_wa_proj kv_wa_proj attention_out engram",
        "causal_block_size v_norm_with_scale qk_norm_with_scale num_kv_shared_layers moba moba_chunk_size moba_topk",
        "indexer_head_dim indexer_n_heads indexer_topk indexer_mask_exact_topk indexer_sparse_training",
        "indexer_loss_scaling_factor compress_ratios compressed_rope_max_timescale internal_compile",
        "internal_compile_num_devices context_sharding ulysses_context_sharding dcn_context_usp_ulysses_parallelism",
        "ici_context_usp_ulysses_parallelism num_slices vocab_tiling_ag_once max_inflight_computations",
        "training_objective block_diffusion_mask_id block_diffusion_canvas_policy managed_mldiagnostics",
        "managed_mldiagnostics_region managed_mldiagnostics_storage_path diloco_sync_period dcn_bandwidth_limit",
        "dcn_bandwidth_burst dcn_bandwidth_latency dcn_bandwidth_interface num_diloco_fragments",
        "communication_overlapping_alpha trainable_parameters_mask adamw_mask global_rope_max_timescale",
        "global_rope_proportion compiled_trainstep_file write_estimator_result step_deviation_interval_seconds",
        "max_checkify multi_sampling xprof_e2e_enable_fw_throttle_event xprof_e2e_enable_fw_power_level_event",
        "xprof_e2e_enable_fw_thermal_event ragged_block_size ring_scan_unroll experimental_sa_quant_q_fp8",
        "experimental_sa_quant_k_fp8 cost_estimate_flops_fwd cost_estimate_flops_bwd prefix_caching_hbm_byte",
        "prefix_caching_dram_byte freeze_vision_encoder_params dtype_mm remat_policy_for_vit max_num_images_per_example",
        "hidden_size_for_vit intermediate_size_for_vit num_attention_heads_for_vit num_channels_for_vit",
        "tile_size_for_vit patch_size_for_vit conv_stride_for_vit num_hidden_layers_for_vit spatial_merge_size_for_vit",
        "out_hidden_size_for_vit temporal_patch_size_for_vit num_position_embeddings_for_vit",
        "deepstack_visual_indexes_for_vit mrope_section position_id_per_seconds subslice_shape pure_nnx_decoder",
        "pure_nnx force_q_layout mhc_expansion_rate mhc_pallas_kernel_fwd_block_size mhc_pallas_kernel_bwd_block_size",
        "engram_layers engram_max_ngram_size engram_num_heads engram_head_dim engram_vocab_bases engram_kernel_size",
        "elastic_enabled elastic_backup_kind elastic_max_retries elastic_min_slice_count collect_stack_trace",
      ],
    },
  ],
  refused: [
    {
      why: "optimizer states and weights on the host have no plan here yet",
      but: ["false"],
      names: ["optimizer_memory_host_offload parameter_memory_host_offload"],
    },
    { why: "steps of preferences have no plan here yet", but: ["false"], names: ["use_dpo"] },
    { why: "a model that learns from another has no plan here yet", names: ["student_overrides_* teacher_overrides_*"] },
    {
      why: "programs that answer prompts have no plan here: those that train have",
      but: ["base.yml *base.yml *sft.yml"],
      names: ["base_config"],
    },
    { why: "models of pictures and sound have no plan here yet", but: ["false"], names: ["use_multimodal use_audio"] },
    {
      why: "copies that are averaged now and then have no plan in this importer yet",
      but: ["1", "false"],
      names: ["dcn_diloco_parallelism ici_diloco_parallelism enable_diloco enable_streaming_diloco"],
    },
  ],
}
let command_line = maxtext_line
