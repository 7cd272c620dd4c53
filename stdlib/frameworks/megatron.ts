// Megatron-LM's command line as a plan: `megatron` takes its arguments as a record, by their names
// with `_` for `-`, and gives what a plan needs. Arguments that are left out have Megatron-LM's
// defaults. `trainspec import megatron` writes plans that call it; `command_line` below says what
// becomes of the arguments that the record lacks.
//
// Sources: NVIDIA/Megatron-LM, megatron/training/arguments.py and megatron/core; Transformer
// Engine; PyTorch's CUDABlas and caching allocator.
export import std.frameworks.megatron_model
import std.machines, std.strategies.megatron, std.strategies.context, std.strategies.experts, std.strategies.data
import std.strategies.recompute, std.strategies.fp8, std.strategies.offload, std.schedules.one_f_one_b, std.schedules.interleaved,
  std.optimizers.adam
import std.precision, std.hosts

// -- machines: by the word after --gpu; `generation`: compute capability, by which libraries choose --
let _machines = [
  { word: "a100", generation: 8, machine: machine_a100 },
  { word: "a100_40g", generation: 8, machine: machine_a100_40g },
  { word: "h100", generation: 9, machine: machine_h100 },
  { word: "h200", generation: 9, machine: machine_h200 },
  { word: "b200", generation: 10, machine: machine_b200 },
  { word: "b300", generation: 10, machine: machine_b300 },
  { word: "gb200", generation: 10, machine: machine_gb200 },
  { word: "gb300", generation: 10, machine: machine_gb300 },
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
// Ranks along the data-parallel axis over which experts are dealt out, beside those of tensor and
// context parallelism.
fn _spread(a: MegatronArguments) -> Int = if a.num_experts == 0 then 1
  else max(1, div(a.expert_model_parallel_size * _expert_tensor(a), _inner(a)))
fn _replicas(a: MegatronArguments) -> Int = if a.gpus % (_inner(a) * a.pipeline_model_parallel_size * _spread(a)) != 0 then refuse(
  str(a.gpus) + " GPUs are no multiple of the product of the parallel sizes",
) else div(a.gpus, _inner(a) * a.pipeline_model_parallel_size * _spread(a))

// -- the model --
fn _ffn(a: MegatronArguments) -> Int = if a.ffn_hidden_size > 0 then a.ffn_hidden_size else if a.swiglu then div(a.hidden_size * 8, 192) *
  64 else 4 * a.hidden_size
fn _is_bert(a: MegatronArguments) -> Bool = a.script == "pretrain_bert"
fn _is_t5(a: MegatronArguments) -> Bool = a.encoder_num_layers > 0
fn _model(a: MegatronArguments) -> Model = if _is_bert(a) then megatron_bert(_choices(a)) else if _is_t5(a) then megatron_t5(
  _choices_of(a, a.encoder_num_layers, a.encoder_seq_length, false),
  _choices_of(a, a.decoder_num_layers, a.decoder_seq_length, true),
) else megatron_gpt(_choices(a))
fn _tokenizer_words(tokenizer: String) -> Int =
  if tokenizer == "BertWordPieceCase" then 28996 else if tokenizer == "BertWordPieceLowerCase" then 30522 else if tokenizer ==
  "GPTSentencePieceTokenizer" then 256000 else if tokenizer == "Llama2Tokenizer" then 32000 else if tokenizer == "TikTokenizer" then 131072
  else 50257
fn _vocabulary(a: MegatronArguments) -> Int = _padded(
  (if a.vocab_size > 0 then a.vocab_size
    else _tokenizer_words(if a.tokenizer_type == "" and _is_bert(a) then "BertWordPieceCase" else a.tokenizer_type)) + a.vocab_extra_ids,
  a.make_vocab_size_divisible_by * a.tensor_model_parallel_size,
)
fn _padded(n: Int, to: Int) -> Int = ceil_div(n, to) * to
fn _kv_heads(a: MegatronArguments) -> Int = if a.group_query_attention then a.num_query_groups else a.num_attention_heads
// Which of Transformer Engine's libraries serves: by what is asked for, else FlashAttention before
// Hopper and cuDNN on it.
fn _attention(a: MegatronArguments) -> String = if a.transformer_impl == "local" then "unfused" else if a.attention_backend == "unfused" or
  a.attention_backend == "local" then "unfused" else if a.attention_backend == "flash" or a.use_flash_attn or a.context_parallel_size > 1
  then "flash" else if a.attention_backend == "fused" or _generation(a.gpu) == 9 then "fused" else "flash"
// Layers with experts: a list of 0 and 1, or each n-th.
fn _expert_layers(a: MegatronArguments) -> List = if a.num_experts == 0 then [0 for i in 0..a.num_layers] else if is_list(
  a.moe_layer_freq,
) then a.moe_layer_freq else [if i % a.moe_layer_freq == 0 then 1 else 0 for i in 0..a.num_layers]

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
  positions: if a.position_embedding_type == "learned_absolute" then a.max_position_embeddings else 0,
  rope: a.position_embedding_type == "rope",
  rms: a.normalization == "RMSNorm",
  bias: not a.disable_bias_linear,
  qkv_bias: not a.disable_bias_linear or a.add_qkv_bias,
  gated: a.swiglu,
  activation_kept: 1,
  expert_kept: if a.swiglu then 1 else 2,
  dropout: a.hidden_dropout,
  attention_dropout: a.attention_dropout,
  attention: _attention(a),
  softmax: if a.no_masked_softmax_fusion and (a.attention_softmax_in_fp32 or a.apply_query_key_layer_scaling) then fp32 else if a.fp16
    then fp16 else bf16,
  causal: causal,
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
fn _chunks(a: MegatronArguments) -> Int = if len(a.pipeline_model_parallel_layout) > 0
  then div(len(a.pipeline_model_parallel_layout), a.pipeline_model_parallel_size) else if a.num_virtual_stages_per_pipeline_rank > 0
  then a.num_virtual_stages_per_pipeline_rank else if a.num_layers_per_virtual_pipeline_stage > 0 then div(
  a.num_layers,
  a.pipeline_model_parallel_size * a.num_layers_per_virtual_pipeline_stage,
) else 1
fn _is_layer(x: String) -> Int = if x == "t" or x == "m" then 1 else 0
fn _stages(a: MegatronArguments) -> Int = a.pipeline_model_parallel_size * _chunks(a)
fn _each(a: MegatronArguments) -> Int = div(
  a.num_layers + (if a.account_for_embedding_in_pipeline_split then 1 else 0) + (if a.account_for_loss_in_pipeline_split then 1 else 0),
  _stages(a),
)
fn _middle(a: MegatronArguments) -> Int = div(
  a.num_layers - a.decoder_first_pipeline_num_layers - a.decoder_last_pipeline_num_layers,
  _stages(a) - (if a.decoder_first_pipeline_num_layers > 0 then 1 else 0) - (if a.decoder_last_pipeline_num_layers > 0 then 1 else 0),
)
fn _stage_size(a: MegatronArguments, s: Int) -> Int = if len(a.pipeline_model_parallel_layout) > 0
  then sum([_is_layer(x) for x in a.pipeline_model_parallel_layout[s]]) else if a.decoder_first_pipeline_num_layers +
  a.decoder_last_pipeline_num_layers > 0 then (if s == 0 and a.decoder_first_pipeline_num_layers > 0
  then a.decoder_first_pipeline_num_layers else if s == _stages(a) - 1 and a.decoder_last_pipeline_num_layers > 0
  then a.decoder_last_pipeline_num_layers else _middle(a)) else _each(a) + sum([
  if s == 0 and a.account_for_embedding_in_pipeline_split then -1 else 0,
  if s == _stages(a) - 1 and a.account_for_loss_in_pipeline_split then -1 else 0,
  if s == _stages(a) - 1 then a.mtp_num_layers else 0,
])
fn _all_sizes(a: MegatronArguments) -> List = [_stage_size(a, s) for s in 0.._stages(a)]
fn _sizes(a: MegatronArguments) -> List = if _stages(a) == 1 or _is_t5(a) then [] else if sum(_all_sizes(a)) != a.num_layers +
  a.mtp_num_layers then refuse(
  "the stages hold " + str(sum(_all_sizes(a))) + " layers, the model has " + str(a.num_layers + a.mtp_num_layers),
) else _all_sizes(a)

fn _micro_batches(a: MegatronArguments) -> Int = div(_global(a), a.micro_batch_size * _replicas(a) * _spread(a))
fn _global(a: MegatronArguments) -> Int = if a.global_batch_size > 0 then a.global_batch_size else a.micro_batch_size * _replicas(a) *
  _spread(a)

// -- memory besides tensors of the model --
// PyTorch keeps a workspace for each handle of cuBLAS: one of the thread that runs the forward, one
// of autograd's. Transformer Engine has one of its own.
fn _blas_workspace(a: MegatronArguments) -> Size = if len(a.cublas_workspace_config) == 2 then a.cublas_workspace_config[0] *
  a.cublas_workspace_config[1] * 1 KiB else if _generation(a.gpu) == 9 or (_generation(a.gpu) > 9 and a.release >= 202605) then 32 MiB
  else 8320 KiB
// One for plain products, and four for the streams of grouped ones.
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
fn _optimizer(a: MegatronArguments) -> Record = if a.optimizer == "sgd" then sgd() else if a.optimizer != "adam" then refuse(
  "the optimizer `" + a.optimizer + "` has no record here: choose adam or sgd" + (if a.optimizer == "muon" or a.optimizer == "dist_muon"
    then " (muon multiplies matrices for its update, which no record of kernels states)" else ""),
) else if a.fp16 and not a.accumulate_allreduce_grads_in_fp32 then adam_with_copies() else adam()
fn adam_with_copies() -> Optimizer = adam() with { temp = 4 B }
fn _format(a: MegatronArguments) -> DType = if a.fp16 then fp16 else bf16
fn _gradients(a: MegatronArguments) -> DType =
  if a.fp16 then (if a.accumulate_allreduce_grads_in_fp32 then fp32 else fp16) else if a.grad_reduce_in_bf16 then bf16 else fp32

fn _described(a: MegatronArguments, on: Record) -> Record = {
  framework: { name: "Megatron-LM", release: str(a.release) },
  model: _model(a),
  cluster: on.cluster(a.gpus),
  slows: on.costs.slows,
  costs: machine_costs(on, if a.fp8_format == "" then "bf16" else "fp8", if _attention(a) == "flash" then "flash2" else "cudnn"),
  network: on.network,
  tp: a.tensor_model_parallel_size,
  cp: a.context_parallel_size,
  ed: _spread(a),
  dp: _replicas(a),
  pp: a.pipeline_model_parallel_size,
  batch: { micro: a.micro_batch_size * _spread(a), global: _global(a) },
  precision: mixed(_format(a), gradients: _gradients(a)) with {
    arithmetic = if a.moe_router_dtype == "" then { gemm: _format(a) } else {}
  },
  optimizer: megatron_update(_optimizer(a)),
  memory: _held(a),
  host: megatron_host,
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
// Full recomputation of the first `count` of each `stage` layers (`--recompute-method block`).
strategy recompute_block(count: Int, stage: Int) {
  rule again {
    match * as "layer[*]" where unit % stage < count
    recompute(group: "layer[*]")
  }
}
fn _again(module: String) -> Any = if module == "core_attn" then selective("attn.core") else if module == "moe_act"
  then selective("moe.experts.act", discard: true) else if module == "layernorm"
  then [selective("*.ln1", discard: true), selective("*.ln2", discard: true)] else if module == "mla_up_proj" then [
  selective("attn.query.up", discard: true),
  selective("attn.query.rotary", discard: true),
  selective("attn.keys.up", discard: true),
  selective("attn.keys.rotary", discard: true),
] else if module == "mlp" then selective("layer[*].mlp") else if module == "moe" then selective("layer[*].moe") else if module ==
  "shared_experts" then selective("moe.shared") else refuse("no module `" + module + "` to recompute")
fn _recomputed(a: MegatronArguments) -> Any = if a.recompute_granularity == "full" then (if a.recompute_method == "block" then recompute_block(
  a.recompute_num_layers,
  div(a.num_layers, _stages(a)),
) else if a.recompute_num_layers > 1 then refuse(
  "layers that are recomputed several at a time are not imported yet: `recompute_num_layers` is 1",
) else full()) else if a.recompute_granularity == "selective" then [_again(m) for m in a.recompute_modules] else none

// Experts lie over all ranks that have different tokens, or beside those that share an expert's
// products.
fn _expert_strategies(run: Record, tp: Axis, cp: Axis, ed: Axis, hidden: Bool) -> Any = if run.arguments.num_experts == 0 then none
  else if run.expert_tensor == 1 then expert_parallel(tp * cp * ed, batch: ed, overlap: hidden) else if run.arguments.sequence_parallel
  then [expert_parallel(cp * ed, batch: ed, overlap: hidden), expert_tensors_kept(tp)]
  else expert_parallel(cp * ed, batch: ed, overlap: hidden)

// Elements of a bucket, with and without the distributed optimizer (resolve_ddp_bucket_size of
// megatron/training/training.py; before it, and still, the constructor of DistributedDataParallel;
// the same in all releases since core_v0.7.0). Stages and chunks after the first have one bucket, and
// so has a run without `overlap_grad_reduce`.
fn _bucket(a: MegatronArguments, replicas: Int) -> Int = if a.ddp_bucket_size > 0 then a.ddp_bucket_size
  else max(40_000_000, 1_000_000 * replicas)
fn _repeats(a: MegatronArguments) -> Int = if _is_t5(a) then a.encoder_num_layers + a.decoder_num_layers else a.num_layers + a.mtp_num_layers
fn _parted(a: MegatronArguments) -> Int = if _stages(a) == 1 then _repeats(a) + 1 else if _is_t5(a) then div(_repeats(a), _stages(a))
  else _stage_size(a, 0)

// The strategies of a run. `ed`: the part of the data-parallel ranks over which experts are dealt
// out. `hidden`: whether communication goes on beside work that does not need it.
fn megatron_strategies(run: Record, tp: Axis, cp: Axis, ed: Axis, dp: Axis, hidden: Bool = true) -> List = [
  if cp == 1 then none else if run.arguments.cp_comm_type == "a2a" then ulysses(cp, overlap: hidden)
    else context_parallel(cp, overlap: if not hidden then false else if run.arguments.cp_comm_type == "p2p" then ring else true),
  if tp == 1 then none else if run.arguments.sequence_parallel then tensor_sequence_parallel(
    tp,
    gather: hidden,
    scatter: hidden,
    again: hidden,
    slows: run.slows,
  ) else tensor_parallel(tp, overlap: hidden),
  if tp == 1 then none else fused_operators(tp),
  _expert_strategies(run, tp, cp, ed, hidden),
  if run.arguments.use_distributed_optimizer then zero1(
    ed * dp * cp,
    bucket: _bucket(run.arguments, ed * dp * cp),
    overlap: run.arguments.overlap_grad_reduce,
    beside: run.arguments.overlap_param_gather,
    parted: _parted(run.arguments),
    updated: if run.arguments.overlap_grad_reduce then _bucket(run.arguments, ed * dp * cp) else 1 TiB,
  ) else data_parallel(
    ed * dp * cp,
    bucket: _bucket(run.arguments, ed * dp * cp),
    overlap: run.arguments.overlap_grad_reduce,
    parted: _parted(run.arguments),
  ),
  if run.arguments.optimizer_cpu_offload then update_on_host() else none,
  if run.arguments.fp8_format == "" then none else fp8_products(),
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
  gpus: Int
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
  normalization: String = "LayerNorm"
  disable_bias_linear: Bool = false
  add_qkv_bias: Bool = false
  swiglu: Bool = false
  squared_relu: Bool = false
  qk_layernorm: Bool = false
  hidden_dropout: Real = 0.1
  attention_dropout: Real = 0.1
  untie_embeddings_and_output_weights: Bool = false
  tokenizer_type: String = ""
  vocab_size: Int = 0
  vocab_extra_ids: Int = 0
  make_vocab_size_divisible_by: Int = 128
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
  moe_pad_expert_input_to_capacity: Bool = false
  moe_router_dtype: String = "" // of the router's product; "": that of the model
  mtp_num_layers: Int = 0
  // how it is computed
  transformer_impl: String = "transformer_engine"
  attention_backend: String = "auto"
  use_flash_attn: Bool = false
  attention_softmax_in_fp32: Bool = false
  apply_query_key_layer_scaling: Bool = false
  no_masked_softmax_fusion: Bool = false
  no_gradient_accumulation_fusion: Bool = false
  no_bias_gelu_fusion: Bool = false
  cross_entropy_loss_fusion: Bool = false
  cross_entropy_fusion_impl: String = "native"
  no_create_attention_mask_in_dataloader: Bool = false
  optimizer: String = "adam"
  bf16: Bool = false
  fp16: Bool = false
  fp8_format: String = "" // products of the layers in fp8
  grad_reduce_in_bf16: Bool = false
  accumulate_allreduce_grads_in_fp32: Bool = false
  moe_grouped_gemm: Bool = false
  recompute_granularity: String = ""
  recompute_method: String = "uniform"
  recompute_num_layers: Int = 1
  recompute_modules: List[String] = ["core_attn"]
  // parallel
  tensor_model_parallel_size: Int = 1
  pipeline_model_parallel_size: Int = 1
  context_parallel_size: Int = 1
  cp_comm_type: String = "p2p" // how keys and values reach others: p2p, a2a, allgather
  expert_model_parallel_size: Int = 1
  expert_tensor_parallel_size: Int = 0
  sequence_parallel: Bool = false
  use_distributed_optimizer: Bool = false
  optimizer_cpu_offload: Bool = false
  optimizer_offload_fraction: Real = 1.0
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
  if a.num_layers == 0 and a.encoder_num_layers == 0 then "num_layers" else if a.hidden_size == 0 then "hidden_size"
  else if a.num_attention_heads == 0 then "num_attention_heads" else if a.seq_length == 0 and a.encoder_num_layers == 0 then "seq_length"
  else ""
fn megatron(a: MegatronArguments) -> Record = if a.optimizer_cpu_offload and a.optimizer_offload_fraction < 1
  then refuse("an optimizer of which a part is on the host has no plan here yet: `optimizer_offload_fraction` is 1") else if _missing(a) !=
  "" then refuse("a run needs `" + _missing(a) + "`") else if a.overlap_param_gather and not (a.use_distributed_optimizer and a.overlap_grad_reduce)
  then refuse("Megatron-LM wants `overlap_grad_reduce` and `use_distributed_optimizer` with `overlap_param_gather`") else if a.fp8_format == "" and not (a.bf16 or a.fp16)
  then refuse("a run in fp32 has no plan here: say `bf16` or `fp16`") else _described(a, _on(a.gpu).machine)

// What `trainspec import megatron` reads: fields of `arguments` are followed; `harmless` ones
// change neither time nor memory; `warned` ones change a little that is not followed, and the
// sentence says what; `refused` ones change too much.
let command_line = {
  about: "A run of Megatron-LM, from its arguments: `trainspec import megatron` wrote it.",
  arguments: "MegatronArguments",
  gpu: "h100",
  layouts: ["pipeline_model_parallel_layout"],
  harmless: [
    "adam_*",
    "adlr_autoresume*",
    "align_*",
    "apply_layernorm_1p",
    "apply_rope_fusion",
    "async_*",
    "auto_detect*",
    "barrier_with_l1_time",
    "bert_no_binary_head",
    "blend*",
    "block_data_path",
    "cache_mla_latents",
    "calculate_per_token_loss",
    "check_for_*",
    "checkpoint*",
    "ckpt_*",
    "classes_fraction",
    "clip_grad",
    "config_logger_dir",
    "data_args_path",
    "data_cache_path",
    "data_parallel_random_init",
    "data_path",
    "data_sharding",
    "dataloader_type",
    "ddp_average_in_collective",
    "ddp_pad_buckets_for_high_nccl_busbw",
    "decoupled_lr",
    "decoupled_min_lr",
    "deterministic_mode",
    "disable_gloo_process_groups",
    "disable_msc",
    "disable_symmetric_registration",
    "dist_*",
    "distributed_backend",
    "distributed_timeout_minutes",
    "embedding_init_method_std",
    "embedding_path",
    "empty_unused_memory_level",
    "enable_experimental",
    "enable_one_logger",
    "end_weight_decay",
    "eod_mask_loss",
    "error_injection_*",
    "eval_interval",
    "eval_iters",
    "exit_*",
    "exp_avg_dtype",
    "exp_avg_sq_dtype",
    "expert_bias*",
    "export_*",
    "fim_*",
    "finetune",
    "full_validation",
    "hierarchical_context_parallel_sizes",
    "high_priority_stream_groups",
    "hybrid_context_parallel",
    "hysteresis",
    "indexer*",
    "inference_*",
    "init_method_std",
    "initial_loss_scale",
    "keep_fp8_*",
    "lazy_mpu_init",
    "legacy_tokenizer",
    "load*",
    "local_rank",
    "log_*",
    "logging_level",
    "loss_scale*",
    "lr",
    "lr_*",
    "main_grads_dtype",
    "main_params_dtype",
    "manual_gc*",
    "mask_prob",
    "max_samples_per_sequence",
    "memory_snapshot_path",
    "merge_file",
    "mid_level_dataset_surplus",
    "min_lr",
    "mock_data",
    "moe_aux_loss_coeff",
    "moe_expert_rank_capacity_factor",
    "moe_input_jitter_eps",
    "moe_per_layer_logging",
    "moe_permute_fusion",
    "moe_router_bias_update_rate",
    "moe_router_enable_expert_bias",
    "moe_router_force_load_balancing",
    "moe_router_fusion",
    "moe_router_group_topk",
    "moe_router_load_balancing_type",
    "moe_router_num_groups",
    "moe_router_padding*",
    "moe_router_pre_softmax",
    "moe_router_score_function",
    "moe_router_topk_scaling_factor",
    "moe_use_legacy_grouped_gemm",
    "moe_z_loss_coeff",
    "mscale*",
    "mtp_loss_scaling_factor",
    "muon_*",
    "nccl_*",
    "no_align_*",
    "no_async_tensor_model_parallel_allreduce",
    "no_bias_dropout_fusion",
    "no_bias_swiglu_fusion",
    "no_check_for_nan_in_loss_and_grad",
    "no_data_sharding",
    "no_gradient_reduce_div_fusion",
    "no_initialization",
    "no_load_*",
    "no_mmap_bin_files",
    "no_persist_layer_norm",
    "no_rope_fusion",
    "no_sanity_check*",
    "no_save_*",
    "no_scatter_gather_tensors_in_pipeline",
    "no_use_tokenizer_model_from_checkpoint_args",
    "no_weight_decay*",
    "norm_epsilon",
    "num_dataset_builder_threads",
    "num_distributed_optimizer_instances",
    "num_workers",
    "nvidia_source",
    "object_storage*",
    "one_logger*",
    "onnx_safe",
    "openai_gelu",
    "outer_dp_sharding_strategy",
    "overlap_p2p_communication_warmup_flush",
    "override_opt_param_scheduler",
    "per_split_data_args_path",
    "phase_*",
    "profile*",
    "rampup_batch_size",
    "record_memory_history",
    "replication*",
    "rerun_*",
    "rerun_mode",
    "reset_*",
    "result_rejected_tracker_filename",
    "retro_*",
    "reuse_grad_buf_for_mxfp8_param_ag",
    "rope_scaling_factor",
    "rotary_base",
    "rotary_interleaved",
    "rotary_percent",
    "rotary_scaling_factor",
    "rotary_seq_len_interpolation_factor",
    "s3_*",
    "sample_rate",
    "save*",
    "seed",
    "seq_len_interpolation_factor",
    "sft*",
    "sgd_momentum",
    "short_seq_prob",
    "skip_train",
    "spec",
    "split",
    "start_weight_decay",
    "step_batch_size_schedule",
    "straggler_*",
    "te_rng_tracker",
    "tensorboard_*",
    "test_data_path",
    "tiktoken_*",
    "timing_log_*",
    "titles_data_path",
    "tokenizer_*",
    "tp_comm_bootstrap_backend",
    "trace_*",
    "train_data_path",
    "train_iters",
    "train_samples",
    "trust_remote_code",
    "use_checkpoint_args",
    "use_checkpoint_opt_param_scheduler",
    "use_cpu_initialization",
    "use_dist_ckpt*",
    "use_fused_weighted_squared_relu",
    "use_legacy_models",
    "use_mcore_models",
    "use_mp_args_from_checkpoint_args",
    "use_persistent_ckpt_worker",
    "use_pytorch_profiler",
    "use_ring_exchange_p2p",
    "use_rope_scaling",
    "use_tokenizer_model_from_checkpoint_args",
    "use_tp_pp_dp_mapping",
    "valid_data_path",
    "vocab_file",
    "wandb_*",
    "weight_decay*",
  ],
  warned: [
    ["moe_token_dispatcher_type", "the dispatcher's own buffers and its time are those of an all-to-all"],
    ["moe_flex_dispatcher_*", "the dispatcher's own buffers and its time are those of an all-to-all"],
    ["moe_enable_deepep", "the dispatcher's own buffers and its time are those of an all-to-all"],
    ["moe_deepep_*", "the dispatcher's own buffers and its time are those of an all-to-all"],
    ["moe_hybridep_*", "the dispatcher's own buffers and its time are those of an all-to-all"],
    ["tp_comm_*", "collectives of tensor parallelism go on beside the products as the strategy says, and user buffers are not counted"],
    ["moe_shared_expert_overlap", "the shared expert follows the others"],
    ["overlap_moe_expert_parallel_comm", "dispatch and combine are not hidden behind another micro-batch"],
    ["delay_wgrad_compute", "weight gradients follow input gradients"],
    ["cuda_graph_*", "graphs are not followed: kernels are issued one by one, and their pools are not counted"],
    ["enable_cuda_graph", "graphs are not followed: kernels are issued one by one, and their pools are not counted"],
    ["external_cuda_graph", "graphs are not followed: kernels are issued one by one, and their pools are not counted"],
    ["defer_embedding_wgrad_compute", "weight gradients of the head come with its backward, and nothing is held for them"],
    ["wgrad_deferral_limit", "weight gradients of the head come with its backward, and nothing is held for them"],
    ["fp8_recipe", "products in fp8 have a scale a tensor here, and copies of weights in fp8 are not counted"],
    ["fp8_*", "products are in the compute type here: neither their time nor copies in fp8 are followed"],
    ["fp4_*", "products are in the compute type here: neither their time nor copies in fp8 are followed"],
    ["first_last_layers_bf16", "products are in the compute type here: neither their time nor copies in fp8 are followed"],
    ["num_layers_at_*_in_bf16", "products are in the compute type here: neither their time nor copies in fp8 are followed"],
    ["mtp_use_repeated_layer", "each module that predicts further words has weights of its own"],
    ["moe_expert_capacity_factor", "tokens are dealt out evenly, and none is dropped"],
    ["moe_token_drop_policy", "tokens are dealt out evenly, and none is dropped"],
    ["squared_relu_*", "the activation is a plain one"],
    ["use_precision_aware_optimizer", "moments and master weights are in fp32"],
    ["num_distributed_optimizer_instances", "the optimizer is dealt out over all replicas"],
  ],
  refused: [
    ["ddp_num_buckets", "say `--ddp-bucket-size`: the parameters of a rank of the first stage, divided by the number of buckets"],
    ["ddp_reduce_scatter_with_fp32_accumulation", "gradients that go to their owners by an all-to-all have no plan here yet"],
    ["ddp_param_name_patterns_for_fp32_local_accumulation", "gradients that are kept in two formats have no plan here yet"],
    ["overlap_param_gather_with_optimizer_step", "gathers beside the update have no plan here yet: leave it out, or take `zero1` of std.strategies.data"],
    ["use_megatron_fsdp", "what it keeps gathered is not followed: take `fsdp` of std.strategies.data in a plan"],
    ["use_torch_fsdp2", "what it keeps gathered is not followed: take `fsdp` of std.strategies.data in a plan"],
    ["data_parallel_sharding_strategy", "what it keeps gathered is not followed: take `fsdp` of std.strategies.data in a plan"],
    ["outer_dp_sharding_strategy", "what it keeps gathered is not followed: take `fsdp` of std.strategies.data in a plan"],
    ["hybrid_*", "layers with a state (Mamba) are not imported yet: std.models.nemotron has some"],
    ["is_hybrid_model", "layers with a state (Mamba) are not imported yet: std.models.nemotron has some"],
    ["mamba_*", "layers with a state (Mamba) are not imported yet: std.models.nemotron has some"],
    ["linear_attention_*", "layers with a state (Mamba) are not imported yet: std.models.nemotron has some"],
    ["experimental_attention_variant", "the attention is another one than is followed here"],
    ["window_size", "attention to a window has no plan here yet"],
    ["window_attn_skip_freq", "attention to a window has no plan here yet"],
    ["fp32_residual_connection", "residuals in fp32 have no plan here yet"],
    ["apply_residual_connection_post_layernorm", "residuals after the norm have no plan here yet"],
    ["moe_layer_recompute", "write `--recompute-granularity selective --recompute-modules moe`"],
    [
      "fine_grained_activation_offloading",
      "offloading of activations by module has no plan here yet: take `offload_activations` of std.strategies.offload",
    ],
    ["offload_modules", "offloading of activations by module has no plan here yet: take `offload_activations` of std.strategies.offload"],
    ["cpu_offloading*", "offloading of activations by module has no plan here yet: take `offload_activations` of std.strategies.offload"],
    ["optimizer_offload_*", "an optimizer that lies on the host in parts has no plan here yet: see std.strategies.offload"],
    ["offload_*", "offloading of activations by module has no plan here yet: take `offload_activations` of std.strategies.offload"],
    ["perform_rl_step", "reinforcement learning has no plan here yet"],
    ["grpo_*", "reinforcement learning has no plan here yet"],
    ["rl_*", "reinforcement learning has no plan here yet"],
    ["langrl_*", "reinforcement learning has no plan here yet"],
    ["refit_*", "reinforcement learning has no plan here yet"],
    ["max_tokens_to_oom", "reinforcement learning has no plan here yet"],
    ["flextron", "elastic models have no plan here yet"],
    ["binary_mask", "elastic models have no plan here yet"],
    ["budget_*", "elastic models have no plan here yet"],
    ["router_*", "elastic models have no plan here yet"],
    ["enable_router", "elastic models have no plan here yet"],
    ["hard_sample_th", "elastic models have no plan here yet"],
    ["patch_dim", "models of pictures and words have no plan here yet"],
    ["img_*", "models of pictures and words have no plan here yet"],
    ["model_provider", "models of pictures and words have no plan here yet"],
    ["dataset_provider", "models of pictures and words have no plan here yet"],
    ["disable_vision_class_token", "models of pictures and words have no plan here yet"],
    ["total_seq_length", "models of pictures and words have no plan here yet"],
    ["language_model_*", "models of pictures and words have no plan here yet"],
    ["vision_*", "models of pictures and words have no plan here yet"],
    ["use_packed_sequence", "packed sequences have no plan here yet"],
    ["encoder_tensor_model_parallel_size", "encoders with sizes of their own have no plan here yet"],
    ["encoder_pipeline_model_parallel_size", "encoders with sizes of their own have no plan here yet"],
    ["attention_output_gate", "gated attention has no plan here yet"],
    ["heterogeneous_*", "layers that differ have no plan here yet"],
    ["engram_*", "the model is another one than is followed here"],
  ],
  plan: [
    "let run = megatron(arguments)",
    "",
    "plan pretraining {",
    "  framework = run.framework",
    "  model = run.model",
    "  cluster = run.cluster",
    "  mesh = { tp: run.tp, cp: run.cp, ed: run.ed, dp: run.dp, pp: run.pp }",
    "  apply = megatron_strategies(run, tp, cp, ed, dp)",
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
