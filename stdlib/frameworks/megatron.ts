// Megatron-LM's command line as a plan: `megatron` takes its arguments as a record, by their names
// with `_` for `-`, and gives what a plan needs. Arguments that are left out have Megatron-LM's
// defaults. `trainspec import megatron` writes plans that call it; `command_line` below says what
// becomes of the arguments that the record lacks.
//
// Sources: NVIDIA/Megatron-LM, megatron/training/arguments.py and megatron/core; Transformer
// Engine; PyTorch's CUDABlas and caching allocator.
export import std.frameworks.megatron_model
import std.frameworks.megatron_arguments, std.frameworks.megatron_others
import std.machines, std.import.hf, std.import.hf_names, std.strategies.megatron, std.strategies.context, std.strategies.experts,
  std.strategies.data
import std.strategies.recompute, std.strategies.fp8, std.strategies.offload, std.schedules.one_f_one_b, std.schedules.interleaved,
  std.optimizers.adam
import std.frameworks.profile, std.frameworks.nvidia, std.frameworks.megatron_core

// -- machines: by the word after --gpu; `generation`: compute capability, by which libraries choose --
let _machines = [
  { word: "a100", generation: 8 },
  { word: "a100_40g", generation: 8 },
  { word: "h100", generation: 9 },
  { word: "h200", generation: 9 },
  { word: "b200", generation: 10 },
  { word: "b300", generation: 10 },
  { word: "gb200", generation: 10 },
  { word: "gb300", generation: 10 },
]
fn _on(gpu: String) -> Record = _found(gpu, [m for m in _machines if m.word == gpu])
fn _found(gpu: String, machines: List) -> Record = if machines == [] then refuse(
  "no machine `" + gpu + "`: choose one of " + str([m.word for m in _machines]),
) else machines[0]
fn _generation(gpu: String) -> Int = _on(gpu).generation

// -- degrees --
fn _inner(a: MegatronArguments) -> Int = a.tensor_model_parallel_size * a.context_parallel_size
fn _expert_tensor(a: MegatronArguments) -> Int =
  if a.expert_tensor_parallel_size > 0 then a.expert_tensor_parallel_size else a.tensor_model_parallel_size
// Experts lie over blocks of EP x ETP ranks, with tensor parallelism fastest, then context
// parallelism, then data parallelism (`expert_decoder_rank_generator` of
// megatron/core/parallel_state.py). So a block takes in the inner part of tensor parallelism, or all
// of it and the inner part of context parallelism, or all of both and a part of the replicas, `ed`.
fn _block(a: MegatronArguments) -> Int = if a.num_experts == 0 then _inner(a) else a.expert_model_parallel_size * _expert_tensor(a)
fn _tensor_inner(a: MegatronArguments) -> Int = min(_block(a), a.tensor_model_parallel_size)
fn _context_inner(a: MegatronArguments) -> Int = min(max(1, div(_block(a), a.tensor_model_parallel_size)), a.context_parallel_size)
fn _spread(a: MegatronArguments) -> Int = max(1, div(_block(a), _inner(a)))
// Whether the ranks of a block are one of these.
fn _is_block(a: MegatronArguments) -> Bool = _divides(_block(a), a.tensor_model_parallel_size) and
  _divides(max(1, div(_block(a), a.tensor_model_parallel_size)), a.context_parallel_size) and _block(a) == _tensor_inner(a) *
  _context_inner(a) * _spread(a)
fn _divides(a: Int, b: Int) -> Bool = a % b == 0 or b % a == 0
fn _replicas(a: MegatronArguments) -> Int = if a.gpus % (_inner(a) * a.pipeline_model_parallel_size * _spread(a)) != 0 then refuse(
  str(a.gpus) + " GPUs are no multiple of the product of the parallel sizes",
) else div(a.gpus, _inner(a) * a.pipeline_model_parallel_size * _spread(a))

// The device of a rank: replicas of a stage stand together, or the stages of a replica
// (initialize_model_parallel of megatron/core/parallel_state.py, `order`).
fn megatron_place(run: Record, at: Record) -> Int =
  at.tp + run.tp_inner * (at.tq + run.tp_outer * (at.cp + run.cp_inner * (at.cq + run.cp_outer * _replica(run, at))))
fn _replica(run: Record, at: Record) -> Int =
  if run.arguments.use_tp_pp_dp_mapping then at.pp + run.pp * (at.ed + run.ed * at.dp) else at.ed + run.ed * (at.dp + run.dp * at.pp)

// -- the model --
fn _ffn(a: MegatronArguments) -> Int = if a.ffn_hidden_size > 0 then a.ffn_hidden_size else if a.swiglu then div(a.hidden_size * 8, 192) *
  64 else 4 * a.hidden_size
fn _is_bert(a: MegatronArguments) -> Bool = a.script == "pretrain_bert"
fn _is_t5(a: MegatronArguments) -> Bool = a.encoder_num_layers > 0
// Layers by letters: a state space (M), attention (*), an MLP (-) or experts (E), with | between stages and what
// predicts further words behind /.
fn _hybrid(a: MegatronArguments) -> Bool = a.hybrid_layer_pattern != ""
fn _pattern(a: MegatronArguments) -> List = if _hybrid(a) then letters(words(a.hybrid_layer_pattern, "/")[0]) else []
fn _layers(a: MegatronArguments) -> Int = if _hybrid(a) then sum([_count(l != "|") for l in _pattern(a)]) else a.num_layers
fn _hybrid_config(a: MegatronArguments) -> Record = {
  model_type: "nemotron_h",
  layers_block_type: [
    match l {
      "M" -> "mamba"
      "*" -> "attention"
      "-" -> "mlp"
      "E" -> "moe"
      _ -> refuse("`hybrid_layer_pattern` has `" + l + "`: known are M * - E")
    } for l in _pattern(a) if l != "|"
  ],
  num_hidden_layers: _layers(a),
  hidden_size: a.hidden_size,
  intermediate_size: _ffn(a),
  vocab_size: _vocabulary(a),
  num_attention_heads: a.num_attention_heads,
  num_key_value_heads: _kv_heads(a),
  head_dim: if a.kv_channels > 0 then a.kv_channels else div(a.hidden_size, a.num_attention_heads),
  mlp_hidden_act: if a.swiglu then refuse("hybrids whose MLPs have gates have no plan here yet") else "relu2",
  mamba_num_heads: if a.mamba_num_heads > 0 then a.mamba_num_heads else div(2 * a.hidden_size, a.mamba_head_dim),
  mamba_head_dim: a.mamba_head_dim,
  n_groups: a.mamba_num_groups,
  ssm_state_size: a.mamba_state_dim,
  n_routed_experts: a.num_experts,
  num_experts_per_tok: a.moe_router_topk,
  moe_intermediate_size: if a.moe_ffn_hidden_size > 0 then a.moe_ffn_hidden_size else _ffn(a),
  n_shared_experts: _count(a.moe_shared_expert_intermediate_size > 0),
  moe_shared_expert_intermediate_size: a.moe_shared_expert_intermediate_size,
  moe_latent_size: if a.moe_latent_size > 0 then a.moe_latent_size else none,
  tie_word_embeddings: not a.untie_embeddings_and_output_weights,
  max_position_embeddings: max(a.seq_length, a.max_position_embeddings),
}
// Layers of gated delta networks, and each n-th of attention (or those with 0 in a list).
fn _delta(a: MegatronArguments) -> Bool =
  a.linear_num_value_heads > 0 and (a.linear_attention_type == "gated_delta_net" or a.experimental_attention_variant == "gated_delta_net")
fn _delta_config(a: MegatronArguments) -> Record = {
  model_type: "qwen3_next",
  num_hidden_layers: a.num_layers,
  layer_types: if is_list(a.linear_attention_freq)
    then [if x == 1 then "linear_attention" else "full_attention" for x in a.linear_attention_freq]
    else [if (i + 1) % a.linear_attention_freq == 0 then "full_attention" else "linear_attention" for i in 0..a.num_layers],
  hidden_size: a.hidden_size,
  intermediate_size: _ffn(a),
  vocab_size: _vocabulary(a),
  num_attention_heads: a.num_attention_heads,
  num_key_value_heads: _kv_heads(a),
  head_dim: if a.kv_channels > 0 then a.kv_channels else div(a.hidden_size, a.num_attention_heads),
  attn_output_gate: a.attention_output_gate,
  linear_conv_kernel_dim: a.linear_conv_kernel_dim,
  linear_key_head_dim: a.linear_key_head_dim,
  linear_value_head_dim: a.linear_value_head_dim,
  linear_num_key_heads: a.linear_num_key_heads,
  linear_num_value_heads: a.linear_num_value_heads,
  num_experts: a.num_experts,
  num_experts_per_tok: a.moe_router_topk,
  moe_intermediate_size: if a.moe_ffn_hidden_size > 0 then a.moe_ffn_hidden_size else _ffn(a),
  shared_expert_intermediate_size: a.moe_shared_expert_intermediate_size,
  tie_word_embeddings: not a.untie_embeddings_and_output_weights,
  max_position_embeddings: max(a.seq_length, a.max_position_embeddings),
}
fn _model(a: MegatronArguments) -> Model = if _hybrid(a) then hf_of(_hybrid_config(a), a.seq_length) else if _delta(a) and a.num_experts > 0
  then hf_of(_delta_config(a), a.seq_length) else if _is_bert(a) then megatron_bert(_choices(a)) else if _is_t5(a) then megatron_t5(
  _choices_of(a, a.encoder_num_layers, a.encoder_seq_length, false),
  _choices_of(a, a.decoder_num_layers, a.decoder_seq_length, true),
) else megatron_gpt(_choices(a))
fn _tokenizer_words(tokenizer: String) -> Int = match tokenizer {
  "BertWordPieceCase" -> 28996
  "BertWordPieceLowerCase" -> 30522
  "GPTSentencePieceTokenizer" -> 256000
  "Llama2Tokenizer" -> 32000
  "TikTokenizer" -> 131072
  _ -> 50257
}
fn _vocabulary(a: MegatronArguments) -> Int = if a.padded_vocab_size > 0 then a.padded_vocab_size else _padded(
  (if a.vocab_size > 0 then a.vocab_size else if a.tokenizer_type == "HuggingFaceTokenizer" then hf_words(
    a.tokenizer_model,
    50257,
  ) else _tokenizer_words(if a.tokenizer_type == "" and _is_bert(a) then "BertWordPieceCase" else a.tokenizer_type)) + a.vocab_extra_ids,
  a.make_vocab_size_divisible_by * a.tensor_model_parallel_size,
)
fn _padded(n: Int, to: Int) -> Int = ceil_div(n, to) * to
fn _kv_heads(a: MegatronArguments) -> Int = if a.group_query_attention then a.num_query_groups else a.num_attention_heads
// Which of Transformer Engine's libraries serves: the one that is asked for, else cuDNN from Hopper on
// and FlashAttention before (get_attention_backend of transformer_engine/pytorch/attention), which
// `--use-flash-attn` does not change: Megatron-Core does not read it.
fn _attention(a: MegatronArguments) -> String = if a.deepspeed and a.use_flash_attn then "flash" else if a.transformer_impl == "local"
  then "unfused" else if a.attention_backend == "unfused" or a.attention_backend == "local" then "unfused" else if a.attention_backend ==
  "flash" or a.context_parallel_size > 1 then "flash" else if a.attention_backend == "fused" or _generation(a.gpu) >= 9 then "fused"
  else "flash"
// Layers with experts: a list of 0 and 1, or each n-th.
fn _expert_layers(a: MegatronArguments) -> List = if a.num_experts == 0 then [0 for i in 0..a.num_layers] else if is_list(
  a.moe_layer_freq,
) then a.moe_layer_freq else [if i % a.moe_layer_freq == 0 then 1 else 0 for i in 0..a.num_layers]

fn _positions(a: MegatronArguments) -> String =
  if a.use_rotary_position_embeddings or a.position_embedding_type == "rotary" then "rope" else a.position_embedding_type
fn _choices(a: MegatronArguments) -> Record = _choices_of(a, a.num_layers, a.seq_length, not _is_bert(a))
fn _choices_of(a: MegatronArguments, layers: Int, seq: Int, causal: Bool) -> Record = {
  layers: layers,
  hidden: a.hidden_size,
  heads: a.num_attention_heads,
  kv_heads: _kv_heads(a),
  head_dim: if a.kv_channels > 0 then a.kv_channels else div(a.hidden_size, a.num_attention_heads),
  ffn: _ffn(a),
  vocab: _vocabulary(a),
  seq: seq,
  positions: if _positions(a) == "learned_absolute" then a.max_position_embeddings else 0,
  embed_norm: a.embed_layernorm,
  rope: _positions(a) == "rope",
  rms: a.normalization == "RMSNorm",
  bias: not a.disable_bias_linear,
  qkv_bias: not a.disable_bias_linear or a.add_qkv_bias,
  gated: a.swiglu or a.quick_geglu,
  activation_kept: 1,
  expert_kept: if a.swiglu or a.quick_geglu then 1 else 2,
  dropout: a.hidden_dropout,
  attention_dropout: a.attention_dropout,
  attention: _attention(a),
  softmax: if a.no_masked_softmax_fusion and (a.attention_softmax_in_fp32 or a.apply_query_key_layer_scaling) then fp32 else if a.fp16
    then fp16 else bf16,
  causal: causal,
  binary: not a.bert_no_binary_head,
  qk_norm: a.qk_layernorm,
  tied: not a.untie_embeddings_and_output_weights,
  fused_loss: a.cross_entropy_loss_fusion and a.cross_entropy_fusion_impl == "native",
  engine_loss: a.cross_entropy_loss_fusion and a.cross_entropy_fusion_impl == "te",
  moe: _expert_layers(a),
  experts: a.num_experts,
  top: a.moe_router_topk,
  expert_ffn: if a.moe_ffn_hidden_size > 0 then a.moe_ffn_hidden_size else _ffn(a),
  shared: a.moe_shared_expert_intermediate_size,
  sorted: a.expert_model_parallel_size > 1 and a.num_experts > a.expert_model_parallel_size,
  padded: if a.moe_pad_expert_input_to_capacity then _tokens_of_rank(a) else 0,
  mtp: a.mtp_num_layers,
  latent: a.multi_latent_attention,
  q_rank: a.q_lora_rank,
  kv_rank: a.kv_lora_rank,
  nope: a.qk_head_dim,
  rope_dim: a.qk_pos_emb_head_dim,
  v_dim: a.v_head_dim,
}

// -- the pipeline --
fn _count(x: Bool) -> Int = if x then 1 else 0
fn _laid_out(a: MegatronArguments) -> Bool = len(a.pipeline_model_parallel_layout) > 0
fn _stated_ends(a: MegatronArguments) -> Bool = a.decoder_first_pipeline_num_layers + a.decoder_last_pipeline_num_layers > 0
// Embedding and loss count as a layer each, if they are accounted for.
fn _counted(a: MegatronArguments) -> Int = _layers(a) + _count(a.account_for_embedding_in_pipeline_split) +
  _count(a.account_for_loss_in_pipeline_split)
fn _chunks(a: MegatronArguments) -> Int = if _laid_out(a) then div(
  len(a.pipeline_model_parallel_layout),
  a.pipeline_model_parallel_size,
) else if a.num_virtual_stages_per_pipeline_rank > 0 then a.num_virtual_stages_per_pipeline_rank
  else if a.num_layers_per_virtual_pipeline_stage > 0 then div(
  _counted(a),
  a.pipeline_model_parallel_size * a.num_layers_per_virtual_pipeline_stage,
) else 1
fn _stages(a: MegatronArguments) -> Int = a.pipeline_model_parallel_size * _chunks(a)
// Layers of a rank, which its chunks share evenly (get_num_layers_to_build of
// megatron/core/transformer/transformer_block.py).
fn _middle_ranks(a: MegatronArguments) -> Int = a.pipeline_model_parallel_size - _count(a.decoder_first_pipeline_num_layers > 0) -
  _count(a.decoder_last_pipeline_num_layers > 0)
fn _rest(a: MegatronArguments) -> Int = _layers(a) - a.decoder_first_pipeline_num_layers - a.decoder_last_pipeline_num_layers
fn _of_rank(a: MegatronArguments, rank: Int) -> Int = if not _stated_ends(a) then div(
  _counted(a),
  a.pipeline_model_parallel_size,
) else if rank == 0 and a.decoder_first_pipeline_num_layers > 0 then a.decoder_first_pipeline_num_layers else if rank ==
  a.pipeline_model_parallel_size - 1 and a.decoder_last_pipeline_num_layers > 0 then a.decoder_last_pipeline_num_layers
  else div(_rest(a), max(1, _middle_ranks(a)))
fn _decoders(a: MegatronArguments, s: Int) -> Int = if _laid_out(a) then _parts(a, s, "t")
  else div(_of_rank(a, s % a.pipeline_model_parallel_size), _chunks(a)) - _count(s == 0 and a.account_for_embedding_in_pipeline_split) -
  _count(s == _stages(a) - 1 and a.account_for_loss_in_pipeline_split)
fn _parts(a: MegatronArguments, s: Int, kind: String) -> Int = _of(a.pipeline_model_parallel_layout[s], kind)
// Modules for further words, which models of layers that differ leave out here.
fn _further(a: MegatronArguments) -> Int = if _hybrid(a) or _delta(a) then 0 else a.mtp_num_layers
fn _stage_size(a: MegatronArguments, s: Int) -> Int = _decoders(a, s) +
  (if _laid_out(a) then _parts(a, s, "m") else if s == _stages(a) - 1 then _further(a) else 0)
fn _sizes(a: MegatronArguments) -> List = if _stages(a) == 1 or _is_t5(a) then [] else [_stage_size(a, s) for s in 0.._stages(a)]

fn _micro_batches(a: MegatronArguments) -> Int = div(_global(a), a.micro_batch_size * _replicas(a) * _spread(a))
fn _global(a: MegatronArguments) -> Int = if a.global_batch_size > 0 then a.global_batch_size else a.micro_batch_size * _replicas(a) *
  _spread(a)

// -- memory besides tensors of the model --
// PyTorch keeps a workspace for each handle of cuBLAS: one of the thread that runs the forward, one
// of autograd's. Transformer Engine has one of its own.
fn _blas_workspace(a: MegatronArguments) -> Size = if len(a.cublas_workspace_config) == 2 then a.cublas_workspace_config[0] *
  a.cublas_workspace_config[1] * 1 KiB else if _generation(a.gpu) == 9 or (_generation(a.gpu) > 9 and a.release >= 202605) then 32 MiB
  else 8320 KiB
// One for plain products, and four for the streams of grouped ones; 32 MiB from Hopper on
// (get_cublas_workspace_size_bytes of transformer_engine/pytorch/module/base.py).
fn _engine_workspace(a: MegatronArguments) -> Size =
  (if _generation(a.gpu) >= 9 then 32 MiB else 4 MiB) *
  (if a.transformer_impl == "local" and a.num_experts == 0 then 0 else if a.moe_grouped_gemm then 5 else 1)
fn _message(a: MegatronArguments) -> Size = bytes(bf16) * a.micro_batch_size * div(a.seq_length, a.context_parallel_size) * a.hidden_size /
  (if a.sequence_parallel then a.tensor_model_parallel_size else 1)
fn _tokens_of_rank(a: MegatronArguments) -> Int = div(
  a.micro_batch_size * a.seq_length,
  a.context_parallel_size * (if a.sequence_parallel then a.tensor_model_parallel_size else 1),
)
fn _longest(a: MegatronArguments) -> Int = if _is_t5(a) then a.encoder_seq_length else a.seq_length
// Attention without Transformer Engine multiplies into one buffer of scores, which stays.
fn _scores(a: MegatronArguments) -> Size = if a.transformer_impl == "local" then bytes(bf16) * a.micro_batch_size *
  div(a.num_attention_heads, a.tensor_model_parallel_size) * _longest(a) * _longest(a) else 0 B
// Messages of the pipeline that PyTorch has not yet given back: of both directions and both
// neighbours in time.
fn _held(a: MegatronArguments) -> Record = {
  cublas_workspaces: 2 * _blas_workspace(a),
  engine_workspaces: _engine_workspace(a),
  scores: _scores(a),
  messages: if a.pipeline_model_parallel_size == 1 then 0 B else if _chunks(a) > 1 then 6 * _message(a) else 3 * _message(a),
}

// Gradients in fp16 are reduced in it, and copied to fp32 for the update, unless they are
// accumulated in fp32.
// Muon keeps a momentum; what its update multiplies is not priced.
let _momentum = ["sgd", "muon", "dist_muon", "adaptive_muon"]
fn _optimizer(a: MegatronArguments) -> Optimizer = if _is(a.optimizer, _momentum) then sgd() else if a.optimizer != "adam" then refuse(
  "the optimizer `" + a.optimizer + "` has no record here: adam, sgd and muon are followed",
) else if a.fp16 and not a.accumulate_allreduce_grads_in_fp32 then adam_with_copies() else core_adam(
  a.use_precision_aware_optimizer,
  a.exp_avg_dtype,
  a.exp_avg_sq_dtype,
  a.main_params_dtype,
  a.fp8_recipe,
)
fn adam_with_copies() -> Optimizer = adam() with { temp = 4 B }
fn _format(a: MegatronArguments) -> DType = if a.fp16 then fp16 else bf16
fn _gradients(a: MegatronArguments) -> DType = if a.fp16 then (if a.accumulate_allreduce_grads_in_fp32 then fp32
  else fp16) else core_gradients(a.grad_reduce_in_bf16, a.main_grads_dtype)

// -- what the arguments make of the profile --
// What replicas share. FSDP without a strategy leaves all to all (arguments.py).
fn _shared_by(a: MegatronArguments) -> String =
  if a.use_torch_fsdp2 then "fsdp" else if a.use_megatron_fsdp then (match a.data_parallel_sharding_strategy {
  "optim_grads_params" -> "fsdp"
  "optim_grads" -> "zero2"
  "optim" -> "zero1"
  _ -> if a.use_distributed_optimizer then "zero1" else "ddp"
}) else if a.use_distributed_optimizer then "zero1" else "ddp"
fn megatron_profile(a: MegatronArguments) -> Framework = megatron_lm with {
  release = str(a.release)
  gradients = _gradients(a)
  bucket = if a.ddp_bucket_size > 0 then a.ddp_bucket_size else megatron_lm.bucket
  buckets = if a.ddp_bucket_size > 0 then as_stated else megatron_lm.buckets
  overlap = a.overlap_grad_reduce
  gather = a.overlap_param_gather
  tensor = if a.tp_comm_overlap then "ring" else megatron_lm.tensor
  context = if a.cp_comm_type == "p2p" then megatron_lm.context else "stream"
  attention = if _attention(a) == "flash" then "flash2" else megatron_lm.attention
  arithmetic = if a.moe_router_dtype == "" then { gemm: _format(a) } else {}
  loss = if a.cross_entropy_loss_fusion and a.cross_entropy_fusion_impl == "te" then "fused" else megatron_lm.loss
  update = if a.clip_grad > 0 then megatron_lm.update else megatron_unclipped
  sharding = _shared_by(a)
}
fn _described(a: MegatronArguments, on: Record) -> Record = _as(a, on, megatron_profile(a))
fn _as(a: MegatronArguments, on: Record, framework: Framework) -> Record = {
  framework: framework,
  model: _model(a),
  cluster: on.cluster(a.gpus),
  slows: on.costs.slows,
  costs: machine_costs(on, if a.fp8_format == "" then "bf16" else "fp8", framework.attention),
  network: on.network,
  tp: a.tensor_model_parallel_size,
  cp: a.context_parallel_size,
  tp_inner: _tensor_inner(a),
  tp_outer: div(a.tensor_model_parallel_size, _tensor_inner(a)),
  cp_inner: _context_inner(a),
  cp_outer: div(a.context_parallel_size, _context_inner(a)),
  ed: _spread(a),
  dp: _replicas(a),
  pp: a.pipeline_model_parallel_size,
  batch: { micro: a.micro_batch_size * _spread(a), global: _global(a) },
  precision: framework_precision(framework) with { compute = _format(a), weights = _format(a) },
  optimizer: framework.update(_optimizer(a)),
  memory: _held(a),
  host: framework_host(framework),
  expert_tensor: _expert_tensor(a),
  tokens: if _is_t5(a) then a.encoder_seq_length + a.decoder_seq_length else a.seq_length,
  arguments: a,
}

// -- strategies --
strategy fused_operators(t: Axis) {
  rule heads optional {
    match unpacked
    split heads, kv_heads over t
  }
  rule biases optional {
    match activation as "*.mlp.act" | "*.shared.act"
    split b dim 0 over t
  }
}
// As `expert_tensor_parallel`, but what the forward gathered stays: the dispatcher gathers it, not
// the product.
strategy expert_tensors_kept(t: Axis) {
  rule column {
    match expert_linear as "*.up"
    before forward: all_gather(x, dim: 1, over: t)
    split w dim 1, y dim -1 over t
    after backward(input): reduce_scatter(dx, dim: 1, over: t)
  }
  rule row {
    match expert_linear as "*.down"
    split x dim -1, w dim 2 over t
    after forward: reduce_scatter(y, dim: 1, over: t)
    before backward(input): all_gather(dy, dim: 1, over: t)
  }
}
// Full recomputation of the first `count` layers of each stage, of which `layers` says how many it
// has (`--recompute-method block`).
strategy recompute_block(count: Int, layers: List) {
  rule again {
    match * as "layer[*]" where unit - _begin_of(unit, layers) < count
    recompute(group: "layer[*]")
  }
}
// The first repeat of the stage that holds this one.
fn _ends(layers: List) -> List = [sum([layers[i] for i in 0..s + 1]) for s in 0..len(layers)]
fn _latest(found: List) -> Int = found[len(found) - 1]
fn _begin_of(unit: Int, layers: List) -> Int = _latest([0] + [e for e in _ends(layers) if e <= unit])
// What stands in a module that predicts further words behind its embedding, up to its last norm.
strategy recompute_further() {
  rule again {
    match * as "mtp[*]" where not within(label, ["mtp[*].embed", "mtp[*].final_norm", "mtp[*].head", "mtp[*].loss"])
    recompute(group: "mtp[*]")
  }
}
// Modules for further words are recomputed by the method `uniform` alone
// (megatron/core/transformer/multi_token_prediction.py), since core_v0.14.
fn _recomputed(a: MegatronArguments) -> Any = if _granularity(a) == "full" then (if a.recompute_method == "block"
  then recompute_block(a.recompute_num_layers, [_decoders(a, s) for s in 0.._stages(a)]) else if _is_t5(a)
  then [full("encoder[*]"), full("decoder[*]")]
  else [full("layer[*]"), if _further(a) > 0 and a.release >= 202510 then recompute_further() else none]) else if _granularity(a) ==
  "selective" then framework_modules((if a.moe_layer_recompute then ["moe"] else []) + a.recompute_modules) else none
fn _granularity(a: MegatronArguments) -> String =
  if a.recompute_activations or (a.moe_layer_recompute and a.recompute_granularity == "") then "selective" else a.recompute_granularity

fn _narrow_products(recipe: String) -> Any = match recipe {
  "delayed" -> fp8_products()
  "tensorwise" -> fp8_products(current: true)
  "blockwise" -> fp8_products(format: fp8_block)
  "mxfp8" -> fp8_products(format: mxfp8)
  _ -> refuse("no recipe `" + recipe + "` for products in fp8: delayed, tensorwise, blockwise or mxfp8")
}

// `ti`, `ci`: the parts of tensor and context parallelism in a block of experts.
fn _expert_strategies(run: Record, tp: Axis, ti: Axis, ci: Axis, ed: Axis, hidden: Bool) -> Any = if run.arguments.num_experts == 0
  then none else if run.expert_tensor == 1 then expert_parallel(
  ti * ci * ed,
  batch: ed,
  overlap: hidden,
) else if run.arguments.sequence_parallel then [
  expert_parallel(ci * ed, batch: ed, overlap: hidden),
  expert_tensors_kept(tp),
] else expert_parallel(ci * ed, batch: ed, overlap: hidden)

// What a layer of experts costs besides: as `init` has it of the same profile. `ranks`: over which experts lie.
fn _expert_host(run: Record, f: Framework, ranks: Int) -> Any = if run.arguments.num_experts == 0 then none else framework_experts(
  f.experts,
  ranks,
  "none",
  if run.arguments.fp8_format == "" then "bf16" else "fp8",
  bounded: run.arguments.moe_pad_expert_input_to_capacity,
)

// Stages and chunks after the first have one bucket (`first` of the profile), and so has a run without
// `overlap_grad_reduce`.
fn _repeats(a: MegatronArguments) -> Int = if _is_t5(a) then a.encoder_num_layers + a.decoder_num_layers else _layers(a) + _further(a)
fn _parted(a: MegatronArguments) -> Int = if _stages(a) == 1 then _repeats(a) + 1 else if _is_t5(a) then div(
  _repeats(a),
  _stages(a),
) else _stage_size(a, 0)

// The strategies of a run. `ed`: the part of the data-parallel ranks over which experts are dealt
// out; `ti` and `ci`: those of tensor and context parallelism. `hidden`: whether communication goes on beside work that does not need it.
fn megatron_strategies(
  run: Record,
  tp: Axis,
  cp: Axis,
  ed: Axis,
  dp: Axis,
  hidden: Bool = true,
  ti: Axis = tp,
  ci: Axis = cp,
  tq: Axis = tp,
) -> List = if run.tp_inner != ti or run.cp_inner != ci then refuse(
  "experts lie over a part of tensor or context parallelism: import the command line again",
) else if run.tp_outer == 1 then _strategies(run, tp, cp, ed * dp * cp, ed * dp * cp, ti, ci, ed, hidden)
  else _strategies(run, tp, cp, ed * dp * cp, tq * ed * dp * cp, ti, ci, ed, hidden)
// `replicas`: those over which gradients are summed, those of experts over `wider`: `tq` is the rest
// of tensor parallelism, where experts lie over a part of it.
fn _strategies(
  run: Record,
  tp: Axis,
  cp: Axis,
  replicas: Axis,
  wider: Axis,
  ti: Axis,
  ci: Axis,
  ed: Axis,
  hidden: Bool,
) -> List = _strategies_as(if hidden then run.framework else _exposed(run.framework), run, tp, cp, replicas, wider, ti, ci, ed)
fn _exposed(f: Framework) -> Framework = f with { tensor = "none", again = false, context = "none" }
fn _strategies_as(
  f: Framework,
  run: Record,
  tp: Axis,
  cp: Axis,
  replicas: Axis,
  wider: Axis,
  ti: Axis,
  ci: Axis,
  ed: Axis,
) -> List = [
  framework_context(f, cp, heads: run.arguments.cp_comm_type == "a2a"),
  if tp == 1 then none else if run.arguments.sequence_parallel then framework_tensor(
    f,
    tp,
    run.slows,
    elsewhere: if run.tp_outer > 1 then "expert_linear" else "",
  ) else tensor_parallel(tp, overlap: f.tensor != "none"),
  if tp == 1 then none else fused_operators(tp),
  _expert_strategies(run, tp, ti, ci, ed, f.tensor != "none"),
  _expert_host(run, f, (if run.expert_tensor == 1 then ti.size else 1) * ci.size * ed.size),
  if f.sharding == "zero1" then zero1(
    replicas,
    bucket: f.buckets(f, run.ed * run.dp * run.cp),
    overlap: f.overlap,
    beside: f.gather,
    parted: _parted(run.arguments),
    wider: wider,
    of: "expert_linear",
    updated: if f.overlap then f.buckets(f, run.ed * run.dp * run.cp) else 1 TiB,
  ) else if f.sharding != "ddp" then framework_data(f, wider, f.sharding, run.pp) else data_parallel(
    replicas,
    bucket: f.buckets(f, run.ed * run.dp * run.cp),
    overlap: f.overlap,
    parted: _parted(run.arguments),
    wider: wider,
    of: "expert_linear",
  ),
  if run.arguments.optimizer_cpu_offload then update_on_host() else none,
  if run.arguments.fine_grained_activation_offloading then framework_offload(run.arguments.offload_modules) else none,
  if run.arguments.fp8_format == "" then none else _narrow_products(run.arguments.fp8_recipe),
  _recomputed(run.arguments),
]

fn megatron_schedule(run: Record, pp: Axis) -> Schedule = if _chunks(run.arguments) == 1 then one_f_one_b(
  p: pp,
  m: _micro_batches(run.arguments),
  sizes: _sizes(run.arguments),
) else interleaved_one_f_one_b(
  p: pp,
  m: _micro_batches(run.arguments),
  v: _chunks(run.arguments),
  group: run.arguments.microbatch_group_size_per_virtual_pipeline_stage,
  sizes: _sizes(run.arguments),
)

// -- the command line --
record MegatronArguments {
  gpus: Int // 0: as many as its launcher starts, or its degrees need
  launch_nproc_per_node: Int = 0 // torchrun's
  launch_nnodes: Int = 1
  gpu: String
  release: Int = 202608 // year and month of the software
  script: String = "pretrain_gpt"
  cublas_workspace_config: List[Int] = []
  // model
  num_layers: Int = 0
  encoder_num_layers: Int = 0
  decoder_num_layers: Int = 0
  encoder_seq_length: Int = 512
  decoder_seq_length: Int = 128
  hidden_size: Int = 0
  num_attention_heads: Int = 0
  ffn_hidden_size: Int = 0
  kv_channels: Int = 0
  group_query_attention: Bool = false
  num_query_groups: Int = 1
  seq_length: Int = 0
  max_position_embeddings: Int = 0
  position_embedding_type: String = "learned_absolute"
  use_rotary_position_embeddings: Bool = false
  normalization: String = "LayerNorm"
  disable_bias_linear: Bool = false
  add_qkv_bias: Bool = false
  swiglu: Bool = false
  quick_geglu: Bool = false
  squared_relu: Bool = false
  qk_layernorm: Bool = false
  hidden_dropout: Real = 0.1
  attention_dropout: Real = 0.1
  untie_embeddings_and_output_weights: Bool = false
  tokenizer_type: String = ""
  tokenizer_model: String = "" // of a published model: its words
  vocab_size: Int = 0
  vocab_extra_ids: Int = 0
  make_vocab_size_divisible_by: Int = 128
  padded_vocab_size: Int = 0
  no_position_embedding: Bool = false
  bert_no_binary_head: Bool = false
  // Megatron-DeepSpeed's
  deepspeed: Bool = false
  zero_stage: Int = 0
  ds_sequence_parallel_size: Int = 1
  checkpoint_activations: Bool = false
  embed_layernorm: Bool = false
  glu_activation: String = ""
  pp_partition_method: String = ""
  num_key_value_heads: Int = 0
  moe_expert_parallel_size: Int = 0
  topk: Int = 0
  expert_interval: Int = 0
  // latent attention
  multi_latent_attention: Bool = false
  q_lora_rank: Int = 0
  kv_lora_rank: Int = 32
  qk_head_dim: Int = 128
  qk_pos_emb_head_dim: Int = 64
  v_head_dim: Int = 128
  // experts
  num_experts: Int = 0
  moe_router_topk: Int = 2
  moe_ffn_hidden_size: Int = 0
  moe_shared_expert_intermediate_size: Int = 0
  moe_layer_freq: Any = 1
  moe_router_dtype: String = "" // of the router's product; "": that of the model
  mtp_num_layers: Int = 0
  // layers that differ
  hybrid_layer_pattern: String = ""
  mamba_num_heads: Int = 0
  mamba_head_dim: Int = 64
  mamba_num_groups: Int = 8
  mamba_state_dim: Int = 128
  moe_latent_size: Int = 0
  linear_attention_type: String = ""
  experimental_attention_variant: String = ""
  linear_attention_freq: Any = 4
  linear_conv_kernel_dim: Int = 4
  linear_key_head_dim: Int = 128
  linear_value_head_dim: Int = 128
  linear_num_key_heads: Int = 16
  linear_num_value_heads: Int = 32
  attention_output_gate: Bool = false
  moe_shared_expert_gate: Bool = false
  // how it is computed
  transformer_impl: String = "transformer_engine"
  attention_backend: String = "auto"
  use_flash_attn: Bool = false
  attention_softmax_in_fp32: Bool = false
  apply_query_key_layer_scaling: Bool = false
  no_masked_softmax_fusion: Bool = false
  cross_entropy_loss_fusion: Bool = false
  cross_entropy_fusion_impl: String = "native"
  optimizer: String = "adam"
  clip_grad: Real = 1.0
  bf16: Bool = false
  fp16: Bool = false
  fp8_format: String = "" // products of the layers in fp8
  fp8_recipe: String = "delayed" // what a scale of theirs is for
  grad_reduce_in_bf16: Bool = false
  accumulate_allreduce_grads_in_fp32: Bool = false
  moe_grouped_gemm: Bool = false
  moe_expert_capacity_factor: Real = 0.0
  moe_pad_expert_input_to_capacity: Bool = false
  recompute_granularity: String = ""
  recompute_activations: Bool = false
  moe_layer_recompute: Bool = false
  recompute_method: String = ""
  recompute_num_layers: Int = 0
  recompute_modules: List[String] = ["core_attn"]
  // parallel
  tensor_model_parallel_size: Int = 1
  pipeline_model_parallel_size: Int = 1
  context_parallel_size: Int = 1
  cp_comm_type: String = "p2p" // how keys and values reach others: p2p, a2a, all_gather
  expert_model_parallel_size: Int = 1
  expert_tensor_parallel_size: Int = 0
  sequence_parallel: Bool = false
  tp_comm_overlap: Bool = false
  use_tp_pp_dp_mapping: Bool = false // stages stand together instead of replicas
  use_distributed_optimizer: Bool = false
  optimizer_cpu_offload: Bool = false
  use_precision_aware_optimizer: Bool = false
  exp_avg_dtype: String = "fp32"
  exp_avg_sq_dtype: String = "fp32"
  main_grads_dtype: String = "fp32"
  main_params_dtype: String = "fp32"
  fine_grained_activation_offloading: Bool = false
  offload_modules: List[String] = []
  optimizer_offload_fraction: Real = 1.0
  use_megatron_fsdp: Bool = false
  use_torch_fsdp2: Bool = false
  data_parallel_sharding_strategy: String = "no_shard"
  overlap_grad_reduce: Bool = false
  overlap_param_gather: Bool = false
  ddp_bucket_size: Int = 0 // elements; 0: by the replicas
  num_layers_per_virtual_pipeline_stage: Int = 0
  num_virtual_stages_per_pipeline_rank: Int = 0
  microbatch_group_size_per_virtual_pipeline_stage: Int = 0
  pipeline_model_parallel_layout: List = []
  decoder_first_pipeline_num_layers: Int = 0
  decoder_last_pipeline_num_layers: Int = 0
  account_for_embedding_in_pipeline_split: Bool = false
  account_for_loss_in_pipeline_split: Bool = false
  micro_batch_size: Int = 1
  global_batch_size: Int = 0
}
fn _missing(a: MegatronArguments) -> String =
  if a.num_layers == 0 and a.encoder_num_layers == 0 and a.hybrid_layer_pattern == "" then "num_layers" else if a.hidden_size == 0
  then "hidden_size" else if a.num_attention_heads == 0 then "num_attention_heads" else if a.seq_length == 0 and a.encoder_num_layers == 0
  then "seq_length" else ""
// What Megatron-LM refuses (validate_args of megatron/training/arguments.py, TransformerConfig), and
// values that no plan follows.
fn _refusals(a: MegatronArguments) -> List = [
  {
    wrong: not _is(a.experimental_attention_variant, ["", "gated_delta_net"]) or not _is(a.linear_attention_type, ["", "gated_delta_net"]),
    why: "the attention is another one than is followed here: gated_delta_net is",
  },
  {
    wrong: (a.attention_output_gate or a.moe_shared_expert_gate) and not _delta(a),
    why: "gates of attention and of shared experts are followed with layers of `gated_delta_net` alone",
  },
  { wrong: _delta(a) and a.num_experts == 0, why: "layers of `gated_delta_net` are followed with experts alone" },
  { wrong: _missing(a) != "", why: "a run needs `" + _missing(a) + "`" },
  { wrong: a.fp8_format == "" and not (a.bf16 or a.fp16), why: "a run in fp32 has no plan here: say `bf16` or `fp16`" },
  {
    wrong: not _hybrid(a) and not _is(a.script, ["pretrain_gpt", "pretrain_bert", "pretrain_t5"]) and _is(
      a.script,
      [
        "pretrain_hybrid",
        "pretrain_ict",
        "pretrain_mamba",
        "pretrain_retro",
        "pretrain_vision_classify",
        "pretrain_vision_dino",
        "pretrain_vision_inpaint",
        "pretrain_vlm",
        "train_rl",
      ],
    ),
    why: "models of `" + a.script + "` have no plan here yet: pretrain_gpt, pretrain_bert or pretrain_t5",
  },
  {
    wrong: not _is(_positions(a), ["learned_absolute", "rope", "alibi", "none"]),
    why: "no positions `" + _positions(a) + "`: learned_absolute, rope, alibi or none",
  },
  {
    wrong: a.no_position_embedding and _positions(a) != "rope",
    why: "`no_position_embedding` goes with positions of `rope`: write `position_embedding_type` none",
  },
  { wrong: not _is(a.normalization, ["LayerNorm", "RMSNorm"]), why: "no norm `" + a.normalization + "`: LayerNorm or RMSNorm" },
  {
    wrong: a.moe_expert_capacity_factor != (if a.moe_pad_expert_input_to_capacity then 1.0 else 0.0),
    why: "experts that drop tokens have no plan here yet: `moe_expert_capacity_factor` is 1 with `moe_pad_expert_input_to_capacity`, or left out",
  },
  {
    wrong: a.optimizer_cpu_offload and a.optimizer_offload_fraction < 1,
    why: "an optimizer of which a part is on the host has no plan here yet: `optimizer_offload_fraction` is 1",
  },
  {
    wrong: a.overlap_param_gather and not (a.use_distributed_optimizer and a.overlap_grad_reduce),
    why: "`overlap_param_gather` wants `overlap_grad_reduce` and `use_distributed_optimizer`",
  },
  {
    wrong: a.num_experts > 0 and not _is(_expert_tensor(a), [1, a.tensor_model_parallel_size]),
    why: "an expert's products are split over 1 rank, or as many as the others': `expert_tensor_parallel_size` is 1 or " +
      str(a.tensor_model_parallel_size),
  },
  {
    wrong: a.num_experts > 0 and not _is_block(a),
    why: "experts over " + str(_block(a)) + " ranks do not go with " + str(a.tensor_model_parallel_size) + " of tensor and " +
      str(a.context_parallel_size) + " of context parallelism",
  },
  {
    wrong: a.num_experts > 0 and a.num_experts % a.expert_model_parallel_size != 0,
    why: str(a.num_experts) + " experts do not divide by `expert_model_parallel_size`",
  },
  {
    wrong: a.num_experts == 0 and a.expert_model_parallel_size > 1,
    why: "`expert_model_parallel_size` wants `num_experts`",
  },
  {
    wrong: a.num_experts > 0 and a.expert_model_parallel_size > 1 and a.tensor_model_parallel_size > 1 and not a.sequence_parallel,
    why: "experts over several ranks beside tensor parallelism want `sequence_parallel`",
  },
  {
    wrong: a.use_tp_pp_dp_mapping and _block(a) != _inner(a),
    why: "with `use_tp_pp_dp_mapping` experts lie over the ranks of tensor and context parallelism alone",
  },
  {
    wrong: not _is(a.pp_partition_method, _with_ends + ["", "uniform", "type:transformer", "parameters"]),
    why: "stages by `pp_partition_method` " + a.pp_partition_method + " have no plan here yet",
  },
  {
    wrong: a.zero_stage > 2,
    why: "ZeRO stage 3 of Megatron-DeepSpeed has no plan here yet: `zero_stage` is 0, 1 or 2",
  },
  { wrong: a.tp_comm_overlap and not a.sequence_parallel, why: "`tp_comm_overlap` wants `sequence_parallel`" },
  {
    wrong: not _is(a.cp_comm_type, ["p2p", "a2a", "all_gather", "allgather"]),
    why: "no `cp_comm_type` " + a.cp_comm_type + " here yet: p2p, a2a or all_gather",
  },
] + _refused_recomputation(a) + _refused_pipelines(a) + _refused_layouts(a)
fn _is(word: Any, words: List) -> Bool = any([w == word for w in words])
// Layouts that validate_layer_layout of megatron/core/transformer/pipeline_parallel_layer_layout.py
// refuses; and stages without anything, which it lets pass.
fn _refused_layouts(a: MegatronArguments) -> List = if not _laid_out(a) then [] else _refused_layout(
  a,
  a.pipeline_model_parallel_layout,
  [x for s in a.pipeline_model_parallel_layout for x in s],
)
fn _refused_layout(a: MegatronArguments, stages: List, flat: List) -> List = [
  {
    wrong: len(stages) % a.pipeline_model_parallel_size != 0,
    why: "a layout of " + str(len(stages)) + " stages does not divide by " + str(a.pipeline_model_parallel_size) + " ranks",
  },
  { wrong: any([s == [] for s in stages]), why: "a stage of the layout is empty" },
  { wrong: any([not _is(x, ["E", "t", "m", "L"]) for x in flat]), why: "a layout is made of E, t, m and L" },
  { wrong: flat == [] or _of(flat, "E") != 1 or flat[0] != "E", why: "a layout begins with E, and has one" },
  { wrong: flat == [] or _of(flat, "L") != 1 or last(flat) != "L", why: "a layout ends with L, and has one" },
  {
    wrong: _of(flat, "t") != a.num_layers,
    why: "the layout has " + str(_of(flat, "t")) + " layers, the model " + str(a.num_layers),
  },
  {
    wrong: _of(flat, "m") != a.mtp_num_layers,
    why: "the layout has " + str(_of(flat, "m")) + " modules for further words, the model " + str(a.mtp_num_layers),
  },
  {
    wrong: any([flat[i] == "m" and flat[i + 1] == "t" for i in 0..max(0, len(flat) - 1)]),
    why: "modules for further words come after all layers",
  },
  {
    wrong: sum([_count(_of(s, "m") > 0) for s in stages]) > 1,
    why: "modules for further words are on one stage",
  },
  {
    wrong: any([_of(stages[s], "m") > 0 for s in 0..max(0, len(stages) - a.pipeline_model_parallel_size)]),
    why: "modules for further words are in the last chunk of a rank",
  },
]
fn _of(parts: List, kind: String) -> Int = sum([_count(x == kind) for x in parts])
fn _refused_recomputation(a: MegatronArguments) -> List = [
  {
    wrong: _granularity(a) == "full" and (a.recompute_method == "" or a.recompute_num_layers == 0),
    why: "full recomputation wants `recompute_method`, uniform or block, and `recompute_num_layers`",
  },
  {
    wrong: _granularity(a) == "selective" and (a.recompute_method != "" or a.recompute_num_layers > 0),
    why: "selective recomputation has no `recompute_method` and no `recompute_num_layers`",
  },
  {
    wrong: _is_t5(a) and a.recompute_method == "block",
    why: "recomputation by block is not imported for an encoder and a decoder: `recompute_method` is uniform",
  },
  {
    wrong: a.recompute_method == "uniform" and a.recompute_num_layers > 1,
    why: "layers that are recomputed several at a time are not imported yet: `recompute_num_layers` is 1",
  },
]
fn _refused_pipelines(a: MegatronArguments) -> List = [
  {
    wrong: _count(a.num_layers_per_virtual_pipeline_stage > 0) + _count(a.num_virtual_stages_per_pipeline_rank > 0) + _count(_laid_out(a)) >
      1,
    why: "chunks are stated once: as layers, as their number or as a layout",
  },
  {
    wrong: _stated_ends(a) and a.num_layers_per_virtual_pipeline_stage > 0,
    why: "the first and the last stage are stated with `num_virtual_stages_per_pipeline_rank`",
  },
  {
    wrong: _counted(a) > a.num_layers and (_stated_ends(a) or _laid_out(a)),
    why: "embedding and loss are accounted for in even stages alone",
  },
  { wrong: _laid_out(a) and _stated_ends(a), why: "a layout says what the first and the last stage hold" },
  {
    wrong: _uneven(a),
    why: "the layers" + _as_counted(a) + " do not fill stages and chunks evenly: " + str(_counted(a)) + " over " +
      str(a.pipeline_model_parallel_size) + " stages",
  },
]
fn _as_counted(a: MegatronArguments) -> String = if _counted(a) > a.num_layers then " (with embedding and loss as accounted for)" else ""
// Whether ranks, or chunks of one, would have layers in parts.
fn _uneven(a: MegatronArguments) -> Bool = if _laid_out(a) or _is_t5(a) then false else if _stated_ends(a) then _rest(a) %
  max(1, _middle_ranks(a)) != 0 or (_middle_ranks(a) == 0 and _rest(a) != 0) or
  any([_of_rank(a, r) % _chunks(a) != 0 for r in 0..a.pipeline_model_parallel_size]) else _counted(a) % a.pipeline_model_parallel_size !=
  0 or (a.num_layers_per_virtual_pipeline_stage > 0 and div(_counted(a), a.pipeline_model_parallel_size) %
  a.num_layers_per_virtual_pipeline_stage != 0) or div(_counted(a), a.pipeline_model_parallel_size) % max(1, _chunks(a)) != 0
// Without a count, what the launcher starts, where the degrees fill it; else a node, or what they need.
fn _degrees(a: MegatronArguments) -> Int = _inner(a) * a.pipeline_model_parallel_size * _spread(a)
fn _launched(a: MegatronArguments) -> Int = if a.launch_nproc_per_node > 0 then a.launch_nproc_per_node * a.launch_nnodes else 8
fn _fills(a: MegatronArguments, gpus: Int) -> Bool = gpus % _degrees(a) == 0 and a.global_batch_size %
  (a.micro_batch_size * div(gpus, _inner(a) * a.pipeline_model_parallel_size)) == 0
fn _sized(a: MegatronArguments) -> MegatronArguments = if a.gpus > 0 then a else a with {
  gpus = if _fills(a, _launched(a)) then _launched(a) else _degrees(a)
}
fn _first(found: List, a: MegatronArguments) -> Record = if found == [] then _described(a, machine_named(_on(a.gpu).word))
  else refuse(found[0].why)
// Megatron-DeepSpeed has experts in each `expert_interval`-th layer, and one expert where there are none.
// What arguments of Megatron-DeepSpeed are by the names of Megatron-LM. Its ZeRO shards optimizer
// states, and sums gradients into their parts; its attention is fused where it is asked for.
fn _named(a: MegatronArguments) -> MegatronArguments = a with {
  use_distributed_optimizer = a.use_distributed_optimizer or a.zero_stage > 0 or (a.deepspeed and a.bf16)
  context_parallel_size = max(a.context_parallel_size, a.ds_sequence_parallel_size)
  cp_comm_type = if a.ds_sequence_parallel_size > 1 then "a2a" else a.cp_comm_type
  recompute_granularity =
    if a.checkpoint_activations or (a.recompute_method != "" and a.recompute_granularity == "") then "full" else a.recompute_granularity
  recompute_method = if a.checkpoint_activations then "uniform" else a.recompute_method
  recompute_num_layers = if a.checkpoint_activations then 1 else if a.recompute_method != "" then max(
    1,
    a.recompute_num_layers,
  ) else a.recompute_num_layers
  num_experts = if a.num_experts == 1 then 0 else a.num_experts
  expert_model_parallel_size =
    if a.num_experts > 1 and a.moe_expert_parallel_size > 0 then a.moe_expert_parallel_size else a.expert_model_parallel_size
  moe_router_topk = if a.topk > 0 then a.topk else if a.deepspeed and a.num_experts > 1 then 1 else a.moe_router_topk
  moe_layer_freq = if a.expert_interval > 0 then a.expert_interval else if a.deepspeed and a.num_experts > 1 then 2 else a.moe_layer_freq
  swiglu = a.swiglu or a.glu_activation != ""
  ffn_hidden_size = if a.glu_activation != "" and a.ffn_hidden_size == 0 then 4 * a.hidden_size else a.ffn_hidden_size
  group_query_attention = a.group_query_attention or a.num_key_value_heads > 0
  num_query_groups = max(a.num_query_groups, a.num_key_value_heads)
  transformer_impl = if a.deepspeed then "local" else a.transformer_impl
  account_for_embedding_in_pipeline_split = a.account_for_embedding_in_pipeline_split or _is(a.pp_partition_method, _with_ends)
  account_for_loss_in_pipeline_split = a.account_for_loss_in_pipeline_split or _is(a.pp_partition_method, _with_ends)
}
let _with_ends = ["type:transformer|embedding", "type:embed|transformer"]
fn megatron(a: MegatronArguments) -> Record = _checked(_named(a))
fn _checked(a: MegatronArguments) -> Record = _first([r for r in _refusals(a) if r.wrong], _sized(a))

// What `trainspec import megatron` reads: fields of `arguments` are followed, the lists are those of
// std.frameworks.megatron_arguments.
let megatron_line = {
  about: "A run of Megatron-LM, from its arguments: `trainspec import megatron` wrote it.",
  arguments: "MegatronArguments",
  gpu: "h100",
  gpus: "0",
  files: ["yaml json sh"],
  dashes: true,
  prefixes: [
    { given: "model_args___", as: "" },
    { given: "runtime_args___", as: "" },

    { given: "use_custom_fsdp", as: "use_megatron_fsdp" },
    { given: "hybrid_override_pattern", as: "hybrid_layer_pattern" },
    { given: "activations_checkpoint_", as: "recompute_" },
    { given: "ep_world_size", as: "moe_expert_parallel_size" },
    { given: "pad_vocab_size_to", as: "padded_vocab_size" },
    { given: "cpu_optimizer", as: "optimizer_cpu_offload" },
    { given: "use_flash_attn_v2", as: "use_flash_attn" },
    { given: "use_flash_attn_triton", as: "use_flash_attn" },
    { given: "use_flash_attn_builder", as: "use_flash_attn" },
    { given: "env_vars_cublas", as: "cublas" },
    { given: "env_vars_", as: "env_" },
  ],
  layouts: ["pipeline_model_parallel_layout"],
  loose: ["tokenizer_type tokenizer_model"],
  harmless: megatron_others_harmless + megatron_harmless,
  partly: megatron_others_partly + megatron_partly,
  refused: megatron_others_refused + megatron_refused,
  plan: [
    "let run = megatron(arguments)",
    "fn place(at: Record) -> Int = megatron_place(run, at)",
    "",
    "plan pretraining {",
    "  framework = run.framework",
    "  model = run.model",
    "  cluster = run.cluster",
    "  mesh = { tp: run.tp_inner, tq: run.tp_outer, cp: run.cp_inner, cq: run.cp_outer, ed: run.ed, dp: run.dp, pp: run.pp }",
    "  placement = place",
    "  apply = megatron_strategies(run, tp * tq, cp * cq, ed, dp, ti: tp, ci: cp, tq: tq)",
    "  schedule = megatron_schedule(run, pp)",
    "  batch = run.batch",
    "  tokens = run.tokens",
    "  precision = run.precision",
    "  optimizer = run.optimizer",
    "  costs = run.costs",
    "  network = run.network",
    "  host = run.host",
    "  memory = run.memory",
    "}",
  ],
}
let command_line = megatron_line
