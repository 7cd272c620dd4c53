// A plan as what starts its job: `trainspec export launch PLAN --for megatron|torchtitan|deepspeed`. The job of
// the plan (what its strategies, its schedule and its model are) becomes arguments by the importers' own records,
// so that what an importer follows has one name here and there. What a framework has no argument for is refused;
// what changes kernels alone is told in a comment. Plans of an importer go back by the arguments that they hold.
import std.frameworks.megatron, std.frameworks.torchtitan

let launch_frameworks = ["megatron", "torchtitan", "deepspeed"]

// `p`: what the compiler knows of a plan: { name, device, world, mesh, model, schedule, apply, micro,
// global, compute, gradients, arguments, arguments_type }; calls are { name, arguments }, axes { size, mask }.
fn launch_lines(p: Record, framework: String) -> List = match framework {
  "megatron" -> if p.arguments_type == "MegatronArguments" then _megatron_lines(p.arguments with { gpus = p.world }) else _untold(p) +
    _megatron_lines(_megatron_of(_job_of(p)))
  "torchtitan" -> if p.arguments_type == "TorchtitanArguments" then _torchtitan_lines(p.arguments with { gpus = p.world }) else _untold(
    p,
  ) + _torchtitan_lines(_torchtitan_of(_job_of(p)))
  "deepspeed" -> _untold(p) + _deepspeed_lines(
    _job_of(p),
    if p.arguments_type == "TrainerArguments" then p.arguments.model_name_or_path else "",
  )
  _ -> refuse("no arguments of `" + framework + "`: choose one of " + str(launch_frameworks))
}

// -- the model --
record _Words {
  layers: Int
  hidden: Int
  heads: Int
  kv_heads: Int
  head_dim: Int
  ffn: Int
  vocab: Int
  seq: Int
  rms: Bool = true
  gated: Bool = true
  squared: Bool = false
  rope: Bool = true
  bias: Bool = false
  qkv_bias: Bool = false
  qk_norm: Bool = false
  tied: Bool = false
  dropout: Real = 0
  attention_dropout: Real = 0
  with_experts: List = [] // 0 or 1 a layer
  experts: Int = 0
  top: Int = 1
  expert_ffn: Int = 0
  shared: Int = 0
  latent: Bool = false
  q_rank: Int = 0
  kv_rank: Int = 0
  nope: Int = 0
  rope_dim: Int = 0
  v_dim: Int = 0
  mtp: Int = 0
}
fn _among(word: Any, all: List) -> Bool = any([w == word for w in all])
fn _words_of(model: Record) -> _Words = match model.name {
  "llama" | "eager_llama" -> _llama_words(model.arguments)
  "llama_moe" -> _moe_words(model.arguments)
  "gpt" -> _gpt_words(model.arguments)
  "deepseek" -> _deepseek_words(model.arguments)
  "decoder" -> _decoder_words(model.arguments.d)
  "megatron_gpt" -> _megatron_words(model.arguments.c)
  _ -> refuse("the model `" + model.name + "` is not one whose sizes are arguments here: llama, llama_moe, gpt, deepseek, decoder")
}
fn _llama_words(a: Record) -> _Words = {
  layers: a.layers,
  hidden: a.hidden,
  heads: a.heads,
  kv_heads: a.kv_heads,
  head_dim: field(a, "head_dim", div(a.hidden, a.heads)),
  ffn: a.ffn,
  vocab: a.vocab,
  seq: a.seq,
  qk_norm: field(a, "qk_norm", false),
  tied: field(a, "tied", false),
}
fn _moe_words(a: Record) -> _Words = {
  layers: a.layers,
  hidden: a.hidden,
  heads: a.heads,
  kv_heads: a.kv_heads,
  head_dim: a.head_dim,
  ffn: if a.dense > 0 then a.dense else a.ffn,
  vocab: a.vocab,
  seq: a.seq,
  qk_norm: a.qk_norm,
  with_experts: [if i % a.every == a.every - 1 then 1 else 0 for i in 0..a.layers],
  experts: a.experts,
  top: a.top,
  expert_ffn: a.ffn,
  shared: a.shared,
}
fn _gpt_words(a: Record) -> _Words = {
  layers: a.layers,
  hidden: a.hidden,
  heads: a.heads,
  kv_heads: a.heads,
  head_dim: div(a.hidden, a.heads),
  ffn: 4 * a.hidden,
  vocab: a.vocab,
  seq: a.seq,
  rms: false,
  gated: false,
  rope: false,
  bias: true,
  qkv_bias: true,
  tied: a.tied,
  dropout: 0.1,
  attention_dropout: 0.1,
}
fn _deepseek_words(a: Record) -> _Words = {
  layers: a.layers,
  hidden: a.hidden,
  heads: a.heads,
  kv_heads: a.heads,
  head_dim: div(a.hidden, a.heads),
  ffn: if a.dense > 0 then a.dense else a.ffn,
  vocab: a.vocab,
  seq: a.seq,
  with_experts: [if i < a.dense_layers then 0 else 1 for i in 0..a.layers],
  experts: a.experts,
  top: a.top,
  expert_ffn: a.ffn,
  shared: a.shared,
  latent: true,
  q_rank: a.q_rank,
  kv_rank: a.kv_rank,
  nope: a.nope,
  rope_dim: a.rope,
  v_dim: a.v_dim,
  mtp: a.mtp,
}
fn _decoder_words(d: Record) -> _Words = _uniform(
  d,
  d.layers[0].mixer,
  [l.mlp for l in d.layers if l.mlp.kind == "dense"],
  [l.mlp for l in d.layers if l.mlp.kind != "dense"],
)
fn _uniform(d: Record, m: Record, dense: List, routed: List) -> _Words = if not all([l.mixer == m for l in d.layers]) or not _among(
  m.kind,
  ["attention", "latent"],
) then refuse(
  "layers whose attention differs, or that are no attention, are not arguments here",
) else if m.window > 0 or m.sinks or m.gated or m.index_heads > 0 or not m.causal then refuse(
  "attention with windows, sinks, gates or an index is not an argument here",
) else if any([l.norms != "before" for l in d.layers]) or d.towers != [] or not _among(d.norm, ["rms", "layer"]) then refuse(
  "norms behind halves and towers of pictures are not arguments here",
) else if not all([x == dense[0] for x in dense]) or not all([x == routed[0] for x in routed]) then refuse(
  "MLPs that differ from layer to layer are not arguments here",
) else if any([x.kind != "experts" or x.shared_gate or x.bias for x in routed]) then refuse(
  "experts of this kind are not arguments here",
) else _decoded(d, m, if dense != [] then dense[0] else routed[0], if routed != [] then routed[0] else dense[0], routed != [])
fn _decoded(d: Record, m: Record, dense: Record, routed: Record, sparse: Bool) -> _Words = {
  layers: len(d.layers),
  hidden: d.hidden,
  heads: m.heads,
  kv_heads: m.kv_heads,
  head_dim: m.head_dim,
  ffn: dense.ffn,
  vocab: d.vocab,
  seq: d.seq,
  rms: d.norm == "rms",
  gated: dense.gated,
  squared: dense.activation == "relu2",
  rope: m.rotary,
  bias: dense.bias,
  qkv_bias: m.bias,
  qk_norm: m.norm != "none",
  tied: d.tied,
  dropout: d.dropout,
  with_experts: if sparse then [if l.mlp.kind == "dense" then 0 else 1 for l in d.layers] else [],
  experts: if sparse then routed.experts else 0,
  top: routed.top,
  expert_ffn: routed.ffn,
  shared: routed.shared,
  latent: m.kind == "latent",
  q_rank: m.q_rank,
  kv_rank: m.kv_rank,
  nope: m.nope,
  rope_dim: m.rope,
  v_dim: m.v_dim,
  mtp: len(d.mtp),
}
fn _megatron_words(c: Record) -> _Words = {
  layers: c.layers,
  hidden: c.hidden,
  heads: c.heads,
  kv_heads: c.kv_heads,
  head_dim: c.head_dim,
  ffn: c.ffn,
  vocab: c.vocab,
  seq: c.seq,
  rms: c.rms,
  gated: c.gated,
  rope: c.rope,
  bias: c.bias,
  qkv_bias: c.qkv_bias,
  qk_norm: c.qk_norm,
  tied: c.tied,
  dropout: c.dropout,
  attention_dropout: c.attention_dropout,
  with_experts: if c.experts > 0 then c.moe else [],
  experts: c.experts,
  top: c.top,
  expert_ffn: c.expert_ffn,
  shared: c.shared,
  latent: c.latent,
  q_rank: c.q_rank,
  kv_rank: c.kv_rank,
  nope: c.nope,
  rope_dim: c.rope_dim,
  v_dim: c.v_dim,
  mtp: c.mtp,
}

// -- the job --
record _Launch {
  words: _Words
  gpus: Int
  gpu: String
  tp: Int
  sequence: Bool
  ring: Bool // collectives of tensor parallelism go in parts
  cp: Int
  heads: Bool
  ep: Int // ranks over which experts lie
  expert_tensor: Bool
  pp: Int
  chunks: Int
  order: String
  sizes: List
  micro: Int
  global: Int
  sharding: String
  shards: Int // over which it is done
  overlap: Bool
  beside: Bool
  again: List // labels that are recomputed, or "*[*]"
  every: Int
  recipe: String
  loss: String
  half: String
  gradients: String
  on_host: Bool
}
fn _calls(p: Record, names: List) -> List = [c for c in p.apply if _among(c.name, names)]
// Of the first of these strategies the argument of this name.
fn _of_call(calls: List, name: String, otherwise: Any) -> Any = if calls == [] then otherwise
  else field(calls[0].arguments, name, otherwise)
let _tensor = ["tensor_parallel", "tensor_sequence_parallel"]
let _context = ["context_parallel", "ulysses"]
let _sharded = ["fsdp", "fsdp_in_pipeline", "zero3", "hsdp", "deepspeed_zero3"]
let _replicated = ["zero1", "zero2", "data_parallel", "deepspeed_zero1", "deepspeed_zero2"]
let _recomputes = [
  "full",
  "selective",
  "modules_again",
  "recompute_mlp",
  "recompute_further",
  "recompute_block",
  "selective_by_op",
  "cached_by_op",
  "kept_by_name",
]
let _narrow = ["fp8_products", "fp4_products"]
// What a framework's kernels and host do anyway, or what the plan alone says.
let _kernels = [
  "fused_operators",
  "fused_loss",
  "copied_loss",
  "turned_products",
  "_sorted_twice",
  "_expert_launches",
  "_layer_launches",
  "_limits_apart",
  "fused_experts",
  "unfused_attention",
  "_in_format",
]
let _others = [
  "expert_parallel",
  "expert_tensor_parallel",
  "expert_tensors_kept",
  "update_on_host",
]
let _told = _tensor + _context + _sharded + _replicated + _recomputes + _narrow + _kernels + _others

fn _data_of(p: Record) -> List = _calls(p, _sharded) + _calls(p, _replicated)
fn _kind_of(call: Record) -> String = if _among(
  call.name,
  ["fsdp", "zero3", "hsdp", "deepspeed_zero3", "fsdp_in_pipeline"],
) then (if str(
  field(call.arguments, "reshard", true),
) == "false" then "zero2" else "fsdp") else match call.name {
  "zero2" | "deepspeed_zero2" -> "zero2"
  "zero1" | "deepspeed_zero1" -> "zero1"
  _ -> "ddp"
}
fn _recompute_of(p: Record) -> List = _calls(p, _recomputes)
fn _labels(call: Record) -> List = match call.name {
  "full" | "recompute_further" | "recompute_block" -> ["*[*]"]
  "selective_by_op" | "cached_by_op" -> ["by op"]
  "kept_by_name" -> ["by name"]
  _ -> if is_list(call.arguments.ops) then call.arguments.ops else [call.arguments.ops]
}
fn _format_of(calls: List) -> String = if calls == [] then "bf16" else if calls[0].name == "fp8_products" then (match str(
  calls[0].arguments.format,
) {
  "fp8" -> if calls[0].arguments.current then "tensorwise" else "delayed"
  "fp8_block" -> "blockwise"
  _ -> str(calls[0].arguments.format)
}) else str(calls[0].arguments.format)
fn _schedule_of(p: Record) -> Record = match p.schedule.name {
  "one_f_one_b" -> { order: "1f1b", chunks: 1, p: p.schedule.arguments.p, m: p.schedule.arguments.m, sizes: p.schedule.arguments.sizes }
  "gpipe" -> { order: "gpipe", chunks: 1, p: p.schedule.arguments.p, m: p.schedule.arguments.m, sizes: p.schedule.arguments.sizes }
  "accumulate" -> { order: "1f1b", chunks: 1, p: 1, m: p.schedule.arguments.m, sizes: [] }
  "interleaved_one_f_one_b" -> {
    order: "1f1b",
    chunks: p.schedule.arguments.v,
    p: p.schedule.arguments.p,
    m: p.schedule.arguments.m,
    sizes: p.schedule.arguments.sizes,
  }
  _ -> refuse("the schedule `" + p.schedule.name + "` is not one that launch lines say: one_f_one_b, interleaved_one_f_one_b, gpipe")
}
fn _job_of(p: Record) -> _Launch = _job_with(p, _schedule_of(p), _calls(p, _tensor), _calls(p, _context), _calls(p, ["expert_parallel"]))
fn _job_with(p: Record, s: Record, tensor: List, context: List, experts: List) -> _Launch = _job_as(
  p,
  s,
  tensor,
  context,
  experts,
  _of_call(tensor, "t", 1),
  _of_call(context, "c", 1),
  _of_call(experts, "batch", 1),
)
fn _job_as(p: Record, s: Record, tensor: List, context: List, experts: List, tp: Int, cp: Int, spread: Int) -> _Launch = {
  words: _words_of(p.model),
  gpus: p.world,
  gpu: p.device,
  tp: tp,
  sequence: tensor != [] and tensor[0].name == "tensor_sequence_parallel",
  ring: str(_of_call(tensor, "gather", false)) == "ring",
  cp: cp,
  heads: context != [] and context[0].name == "ulysses",
  ep: _of_call(experts, "e", 1),
  expert_tensor: _calls(p, ["expert_tensor_parallel", "expert_tensors_kept"]) != [],
  pp: s.p,
  chunks: s.chunks,
  order: s.order,
  sizes: s.sizes,
  micro: if p.micro % spread == 0 then div(p.micro, spread) else refuse(
    "micro-batches of " + str(p.micro) + " samples are not dealt out evenly over the " + str(spread) + " ranks of experts",
  ),
  global: if p.global > 0 then p.global else s.m * div(p.micro, spread) * div(p.world, tp * cp * s.p),
  sharding: if _data_of(p) == [] then "none" else _kind_of(_data_of(p)[0]),
  shards: _of_call(_data_of(p), "d", _of_call(_data_of(p), "s", 1)),
  overlap: str(_of_call(_data_of(p), "overlap", true)) != "false",
  beside: str(_of_call(_data_of(p), "beside", false)) == "true",
  again: [l for c in _recompute_of(p) for l in _labels(c)],
  every: max([1] + [field(c.arguments, "every", 1) for c in _recompute_of(p)]),
  recipe: _format_of(_calls(p, _narrow)),
  loss: if _calls(p, ["fused_loss"]) != [] then "fused" else "apart",
  half: p.compute,
  gradients: p.gradients,
  on_host: _calls(p, ["update_on_host"]) != [],
}
// Strategies that no argument says.
fn _untold(p: Record) -> List = [["# Not said here, as no argument says it: `", c.name, "`"] for c in p.apply if not _among(c.name, _told)]

// -- Megatron-LM --
// A module stands for all of its labels.
let _modules = [
  { name: "core_attn", labels: ["attn.core"] },
  { name: "core_attn", labels: ["*.attn.core"] },
  { name: "layernorm", labels: ["*.ln1", "*.ln2"] },
  { name: "moe_act", labels: ["*.experts.act"] },
  { name: "moe_act", labels: ["moe.experts.act"] },
  { name: "mla_up_proj", labels: ["*.query.up", "*.query.rotary", "*.keys.up", "*.keys.rotary"] },
  { name: "mla_up_proj", labels: ["attn.query.up", "attn.query.rotary", "attn.keys.up", "attn.keys.rotary"] },
  { name: "mlp", labels: ["*.mlp.up", "*.mlp.act", "*.mlp.down"] },
  { name: "moe", labels: ["*.moe"] },
  { name: "shared_experts", labels: ["moe.shared"] },
]
fn _named_modules(labels: List) -> List = _all_named(labels, [m for m in _modules if all([_among(l, labels) for l in m.labels])])
fn _all_named(labels: List, found: List) -> List = if any([not any([_among(l, m.labels) for m in found]) for l in labels]) then refuse(
  "recomputation of " + str([l for l in labels if not any([_among(l, m.labels) for m in found])]) +
    " has no argument: whole layers, or modules such as core_attn and layernorm",
) else _once([m.name for m in found])
fn _once(names: List) -> List = [names[g[0]] for g in groups(names)]
fn _whole(j: _Launch) -> Bool = _among("*[*]", j.again)
// Layers of a stage, where they are not even: those of the ends, or a layout.
fn _even(sizes: List) -> Bool = sizes == [] or all([s == sizes[0] for s in sizes])
fn _middle(sizes: List) -> List = [sizes[i] for i in 1..max(1, len(sizes) - 1)]
fn _ends_alone(j: _Launch) -> Bool = j.chunks == 1 and j.words.mtp == 0 and _even(_middle(j.sizes))
fn _stage_parts(j: _Launch, s: Int) -> List = (if s == 0 then ["E"] else []) +
  ["t" for i in 0..j.sizes[s] - (if s == len(j.sizes) - 1 then j.words.mtp else 0)] +
  (if s == len(j.sizes) - 1 then ["m" for i in 0..j.words.mtp] + ["L"] else [])
fn _megatron_of(j: _Launch) -> MegatronArguments = if _among(j.recipe, ["nvfp4", "mxfp4"]) then refuse(
  "products in " + j.recipe + " have no arguments that the importer follows",
) else if j.every > 1 and _whole(j) then refuse(
  "recomputation of every " + str(j.every) + "th layer has no argument of Megatron-LM",
) else if j.order == "gpipe" and j.pp > 1 then refuse("Megatron-LM has no argument for GPipe: one_f_one_b") else if _among(
  "by op",
  j.again,
) then refuse("recomputation by op has no argument of Megatron-LM") else _megatron_with(j, j.words)
fn _megatron_with(j: _Launch, w: _Words) -> MegatronArguments = {
  gpus: j.gpus,
  gpu: j.gpu,
  num_layers: w.layers,
  hidden_size: w.hidden,
  num_attention_heads: w.heads,
  ffn_hidden_size: w.ffn,
  kv_channels: if w.latent or w.head_dim * w.heads == w.hidden then 0 else w.head_dim,
  group_query_attention: not w.latent and w.kv_heads != w.heads,
  num_query_groups: if w.latent or w.kv_heads == w.heads then 1 else w.kv_heads,
  seq_length: w.seq,
  max_position_embeddings: w.seq,
  position_embedding_type: if w.rope then "rope" else "learned_absolute",
  normalization: if w.rms then "RMSNorm" else "LayerNorm",
  disable_bias_linear: not w.bias,
  add_qkv_bias: w.qkv_bias and not w.bias,
  swiglu: w.gated,
  squared_relu: w.squared,
  qk_layernorm: w.qk_norm,
  hidden_dropout: w.dropout,
  attention_dropout: w.attention_dropout,
  untie_embeddings_and_output_weights: not w.tied,
  tokenizer_type: "NullTokenizer",
  vocab_size: w.vocab,
  make_vocab_size_divisible_by: 1,
  multi_latent_attention: w.latent,
  q_lora_rank: w.q_rank,
  kv_lora_rank: if w.latent then w.kv_rank else 32,
  qk_head_dim: if w.latent then w.nope else 128,
  qk_pos_emb_head_dim: if w.latent then w.rope_dim else 64,
  v_head_dim: if w.latent then w.v_dim else 128,
  num_experts: w.experts,
  moe_router_topk: if w.experts > 0 then w.top else 2,
  moe_ffn_hidden_size: if w.experts > 0 then w.expert_ffn else 0,
  moe_shared_expert_intermediate_size: if w.experts > 0 then w.shared else 0,
  moe_layer_freq: if w.experts == 0 or all([x == 1 for x in w.with_experts]) then 1 else w.with_experts,
  moe_grouped_gemm: w.experts > 0,
  mtp_num_layers: w.mtp,
  cross_entropy_loss_fusion: j.loss == "fused",
  cross_entropy_fusion_impl: if j.loss == "fused" then "te" else "native",
  bf16: j.half == "bf16",
  fp16: j.half == "fp16",
  fp8_format: if j.recipe == "bf16" then "" else "hybrid",
  fp8_recipe: if j.recipe == "bf16" then "delayed" else j.recipe,
  grad_reduce_in_bf16: j.half == "bf16" and j.gradients == "bf16",
  accumulate_allreduce_grads_in_fp32: j.gradients == "fp32",
  recompute_granularity: if j.again == [] then "" else if _whole(j) then "full" else "selective",
  recompute_method: if _whole(j) then "uniform" else "",
  recompute_num_layers: if _whole(j) then 1 else 0,
  recompute_modules: if j.again == [] or _whole(j) then ["core_attn"] else _named_modules(j.again),
  tensor_model_parallel_size: j.tp,
  pipeline_model_parallel_size: j.pp,
  context_parallel_size: j.cp,
  cp_comm_type: if j.heads then "a2a" else "p2p",
  expert_model_parallel_size: j.ep,
  expert_tensor_parallel_size: if w.experts > 0 and j.tp > 1 and not j.expert_tensor then 1 else 0,
  sequence_parallel: j.sequence and j.tp > 1,
  tp_comm_overlap: j.ring and j.tp > 1,
  use_distributed_optimizer: _among(j.sharding, ["zero1", "zero2", "fsdp"]),
  use_megatron_fsdp: _among(j.sharding, ["zero2", "fsdp"]),
  data_parallel_sharding_strategy: match j.sharding {
    "fsdp" -> "optim_grads_params"
    "zero2" -> "optim_grads"
    _ -> "no_shard"
  },
  optimizer_cpu_offload: j.on_host,
  overlap_grad_reduce: j.overlap and j.sharding != "none",
  overlap_param_gather: j.beside,
  num_virtual_stages_per_pipeline_rank: if j.chunks > 1 then j.chunks else 0,
  decoder_first_pipeline_num_layers: if _even(j.sizes) or not _ends_alone(j) or j.sizes[0] == j.sizes[1] then 0 else j.sizes[0],
  decoder_last_pipeline_num_layers: if _even(j.sizes) or not _ends_alone(j) then 0 else last(j.sizes),
  pipeline_model_parallel_layout: if _even(j.sizes) or _ends_alone(j) then [] else [_stage_parts(j, s) for s in 0..len(j.sizes)],
  micro_batch_size: j.micro,
  global_batch_size: j.global,
}

// -- arguments as words --
fn _changed(a: Record, defaults: Record, besides: List) -> List = [
  name for name in fields(a) if not _among(name, besides) and _text(field(a, name, none)) != _text(field(defaults, name, none))
]
fn _text(x: Any) -> List = if is_list(x) then [str(e) for e in x] else [str(x)]
fn _dashed(name: String) -> List = [if c == "_" then "-" else c for c in letters(name)]
fn _apart(texts: List, between: String) -> List = [t for i in 0..len(texts) for t in (if i == 0 then [texts[i]] else [between, texts[i]])]
fn _argument(name: String, value: Any) -> List = ["  --"] + _dashed(name) + (if name == "moe_layer_freq" and is_list(value) then [
  " '[",
] + _apart(_text(value), ",") + ["]'"] else if name == "pipeline_model_parallel_layout" then [" '"] + _apart(
  [s for g in [_group(value, i) for i in 0..len(value)] for s in g],
  "",
) + ["'"] else if str(value) == "true" then [] else [" "] + _apart(_text(value), " ")) + [" \\"]
fn _group(stages: List, i: Int) -> List = (if i > 0 then ["|"] else []) + stages[i]
let _launcher = [
  "gpus",
  "gpu",
  "launch_nproc_per_node",
  "launch_nnodes",
  "release",
  "script",
  "cublas_workspace_config",
  "micro_batch_size",
]
fn _default_megatron(a: MegatronArguments) -> MegatronArguments = { gpus: a.gpus, gpu: a.gpu }
fn _megatron_lines(a: MegatronArguments) -> List = [
  ["# For `trainspec import megatron` and for torchrun, on ", str(a.gpus), " GPUs."],
  ["RELEASE=", str(a.release), " CUDA_DEVICE_MAX_CONNECTIONS=1 "] + (if len(a.cublas_workspace_config) == 2 then [
    "CUBLAS_WORKSPACE_CONFIG=:",
    str(a.cublas_workspace_config[0]),
    ":",
    str(a.cublas_workspace_config[1]),
    " ",
  ] else []) + ["\\"],
  _torchrun(a.gpus) + [a.script, ".py \\"],
] + [_argument(name, field(a, name, none)) for name in _changed(a, _default_megatron(a), _launcher)] + [
  ["  --micro-batch-size ", str(a.micro_batch_size)],
]
fn _per_node(gpus: Int) -> Int = if gpus < 8 then gpus else 8
fn _torchrun(gpus: Int) -> List = [
  "torchrun --nproc_per_node ",
  str(_per_node(gpus)),
  " --nnodes ",
  str(ceil_div(gpus, _per_node(gpus))),
  " ",
]

// -- torchtitan --
fn _torchtitan_of(j: _Launch) -> TorchtitanArguments = if j.sharding == "zero1" then refuse(
  "torchtitan shards replicas as FSDP or not at all: optimizer states alone (ZeRO-1) have no key",
) else if j.on_host then refuse("an update on the host has no key that the importer follows") else if not _among(
  j.recipe,
  ["bf16", "delayed", "tensorwise"],
) then refuse("products in " + j.recipe + " have no key that the importer follows") else if not _among(
  j.again,
  [[], ["by op"], ["by op", "by op"], ["*[*]"]],
) then refuse(
  "recomputation of " + str(j.again) + " has no key of torchtitan: whole layers or by op",
) else if j.heads then refuse("parts of sequences that exchange heads have no key") else _torchtitan_with(
  j,
  _flavor_of(j.words),
  div(j.gpus, j.tp * j.cp * j.pp),
)
fn _flavor_of(w: _Words) -> Record = _chosen(w, [f for f in torchtitan_flavors() if _is_flavor(f, f.sizes, w)])
fn _is_flavor(f: Record, s: Record, w: _Words) -> Bool = f.layers == w.layers and field(s, "hidden", 0) == w.hidden and field(
  s,
  "heads",
  0,
) == w.heads and field(s, "experts", 0) == w.experts and field(s, "vocab", 0) <= w.vocab and w.vocab <= field(s, "vocab", 0) + 1024 and
  (if w.experts > 0 then field(s, "ffn", 0) == w.expert_ffn else field(s, "ffn", 0) == w.ffn)
fn _chosen(w: _Words, found: List) -> Record = if found != [] then found[0] else refuse(
  "torchtitan has models by name alone, and none of " + str(w.layers) + " layers of width " + str(w.hidden) + ": " +
    str([f.model + " " + n for f in torchtitan_flavors() for n in words(f.flavors)]),
)
// Stages of so many layers by torchtitan's two keys: how many the first and the last have less.
fn _less(j: _Launch, stages: Int) -> Record = if _even(j.sizes) then { first: 0, last: 0 } else _found_less(
  j,
  [
    { first: f, last: l } for f in 0..max([1, j.sizes[1] + 2])
      for l in 0..max([1, j.sizes[1] + 2]) if [torchtitan_size(j.words.layers, f, l, stages, s) for s in 0..stages] == j.sizes
  ],
)
fn _found_less(j: _Launch, found: List) -> Record = if found != [] then found[0] else refuse(
  "stages of " + str(j.sizes) + " layers have no key of torchtitan that is followed: the first and the last may have less than the others",
)
fn _torchtitan_with(j: _Launch, flavor: Record, replicas: Int) -> TorchtitanArguments = _torchtitan_staged(
  j,
  flavor,
  replicas,
  _less(j, j.pp * j.chunks),
)
fn _torchtitan_staged(j: _Launch, flavor: Record, replicas: Int, less: Record) -> TorchtitanArguments = {
  gpus: j.gpus,
  gpu: j.gpu,
  model_name: flavor.model,
  model_flavor: words(flavor.flavors)[0],
  model_converters: if j.recipe == "bf16" then [] else ["quantize.linear.float8"],
  training_local_batch_size: if j.pp > 1 then div(j.global, replicas) else j.micro,
  training_global_batch_size: j.global,
  training_seq_len: j.words.seq,
  parallelism_data_parallel_replicate_degree: if j.sharding == "ddp" then replicas else div(replicas * j.cp, max(1, j.shards)),
  parallelism_data_parallel_shard_degree: if j.sharding == "ddp" then 1 else -1,
  parallelism_fsdp_reshard_after_forward: if j.sharding == "zero2" then "never" else "default",
  parallelism_tensor_parallel_degree: j.tp,
  parallelism_enable_async_tensor_parallel: j.ring,
  parallelism_pipeline_parallel_degree: j.pp,
  parallelism_pipeline_parallel_first_stage_less_layers: less.first,
  parallelism_pipeline_parallel_last_stage_less_layers: less.last,
  parallelism_pipeline_parallel_layers_per_stage: if j.chunks > 1 then ceil_div(
    j.words.layers + less.first + less.last,
    j.pp * j.chunks,
  ) else 0,
  parallelism_pipeline_parallel_schedule: if j.chunks > 1 then "Interleaved1F1B" else if j.order == "gpipe" then "GPipe" else "1F1B",
  parallelism_pipeline_parallel_microbatch_size: j.micro,
  parallelism_context_parallel_degree: j.cp,
  parallelism_expert_parallel_degree: j.ep,
  activation_checkpoint_mode: if j.again == [] then "none" else if _whole(j) and j.every == 1 then "full" else "selective",
  activation_checkpoint_selective_ac_option: if _whole(j) then str(j.every) else "op",
  compile_enable: true,
  compile_components: if j.loss == "fused" then ["model", "loss"] else ["model"],
}
let _sections = ["model", "training", "parallelism", "activation_checkpoint", "compile"]
let _quoted_keys = [
  "model_name",
  "model_flavor",
  "parallelism_fsdp_reshard_after_forward",
  "parallelism_pipeline_parallel_schedule",
  "parallelism_context_parallel_rotate_method",
  "parallelism_expert_parallel_comm_backend",
  "activation_checkpoint_mode",
  "activation_checkpoint_selective_ac_option",
]
fn _begins(name: String, with: String) -> Bool = _starts(letters(name), letters(with + "_"))
fn _starts(name: List, with: List) -> Bool = len(name) > len(with) and all([name[i] == with[i] for i in 0..len(with)])
fn _behind(name: List, from: Int) -> List = [name[i] for i in from..len(name)]
fn _value_lines(name: String, value: Any) -> List = if is_list(value) then ["["] + _apart(["\"" + str(e) + "\"" for e in value], ", ") + [
  "]",
] else if _among(name, _quoted_keys) then ["\"", str(value), "\""] else [str(value)]
fn _section_lines(a: TorchtitanArguments, section: String, changed: List) -> List = if not any([
  _begins(n, section) for n in changed
]) then [] else [["[", section, "]"]] + [
  _behind(letters(name), len(letters(section)) + 1) + [" = "] + _value_lines(name, field(a, name, none)) for name in changed if _begins(
    name,
    section,
  )
]
fn _default_torchtitan(a: TorchtitanArguments) -> TorchtitanArguments = { gpus: a.gpus, gpu: a.gpu, model_name: "", model_flavor: "" }
fn _torchtitan_lines(a: TorchtitanArguments) -> List = [
  ["# For `trainspec import torchtitan --gpus ", str(a.gpus), "`, and for torchrun:"],
  ["#   "] + _torchrun(a.gpus) + ["-m torchtitan.train --job.config_file THIS"],
] + [line for s in _sections for line in _section_lines(a, s, _changed(a, _default_torchtitan(a), ["gpus", "gpu"]))]

// -- DeepSpeed --
fn _stage_of(sharding: String) -> Int = match sharding {
  "fsdp" -> 3
  "zero2" -> 2
  "zero1" -> 1
  _ -> 0
}
fn _deepspeed_lines(j: _Launch, name: String) -> List = if j.pp > 1 then refuse(
  "a pipeline has no key of DeepSpeed's JSON: Megatron-LM's arguments say one",
) else if j.cp > 1 and not j.heads then refuse("DeepSpeed's parts of sequences exchange heads: `ulysses`") else if j.ep > 1 then refuse(
  "experts over several ranks have no key of DeepSpeed's JSON",
) else if j.recipe != "bf16" then refuse("products in 8 bits have no key of DeepSpeed's JSON") else if not _among(
  j.again,
  [[], ["*[*]"]],
) or j.every > 1 then refuse("recomputation is of whole layers, or of none: --gradient_checkpointing") else if j.global %
  (j.micro * div(j.gpus, j.tp * j.cp)) != 0 then refuse("the batch is no multiple of what all replicas take at a time") else _json(
  j,
  j.words,
  div(j.gpus, j.tp * j.cp),
) + _config_lines(j.words, name) + [
  _deepspeed_launcher(j.gpus) + ["train.py --deepspeed ds_config.json \\"],
  (if name == "" then ["  --model_config config.json"] else ["  --model_name_or_path ", name]) + [" --max_length ", str(j.words.seq)] +
    [" --per_device_train_batch_size ", str(j.micro)] + (if j.half == "bf16" then [" --bf16 True"] else [" --fp16 True"]) +
    (if j.again == [] then [] else [" --gradient_checkpointing True"]),
]
fn _deepspeed_launcher(gpus: Int) -> List = [
  "deepspeed --num_gpus ",
  str(_per_node(gpus)),
  " --num_nodes ",
  str(ceil_div(gpus, _per_node(gpus))),
  " ",
]
fn _truth(x: Bool) -> String = if x then "true" else "false"
fn _json(j: _Launch, w: _Words, replicas: Int) -> List = [
  ["cat > ds_config.json <<'END'"],
  ["{"],
  ["  \"train_batch_size\": ", str(j.global), ","],
  ["  \"train_micro_batch_size_per_gpu\": ", str(j.micro), ","],
  ["  \"gradient_accumulation_steps\": ", str(div(j.global, j.micro * replicas)), ","],
  ["  \"", j.half, "\": { \"enabled\": true },"],
] + (if j.tp > 1 then [["  \"tensor_parallel\": { \"autotp_size\": ", str(j.tp), " },"]] else []) + (if j.cp > 1 then [
  ["  \"sequence_parallel_size\": ", str(j.cp), ","],
] else []) + [
  ["  \"zero_optimization\": { \"stage\": ", str(_stage_of(j.sharding)), ", \"overlap_comm\": ", _truth(j.overlap)] +
    (if j.on_host then [", \"offload_optimizer\": { \"device\": \"cpu\" }"] else []) + [" },"],
  ["  \"optimizer\": { \"type\": \"AdamW\" }"],
  ["}"],
  ["END"],
]
fn _config_lines(w: _Words, name: String) -> List = if name != "" then [] else if w.experts > 0 or w.latent or
  not (w.rms and w.rope and w.gated) or w.bias then refuse(
  "this model has no configuration that is written here: name it by `model_name_or_path` in a plan of `import deepspeed`",
) else [
  ["# `trainspec import deepspeed` reads it, too: it must be there."],
  ["cat > config.json <<'END'"],
  ["{"],
  [
    "  \"model_type\": \"",
    if w.qk_norm then "qwen3" else if w.qkv_bias then "qwen2" else "llama",
    "\", \"hidden_size\": ",
    str(w.hidden),
    ", \"intermediate_size\": ",
    str(w.ffn),
    ",",
  ],
  [
    "  \"num_hidden_layers\": ",
    str(w.layers),
    ", \"num_attention_heads\": ",
    str(w.heads),
    ", \"num_key_value_heads\": ",
    str(w.kv_heads),
    ", \"head_dim\": ",
    str(w.head_dim),
    ",",
  ],
  ["  \"vocab_size\": ", str(w.vocab), ", \"tie_word_embeddings\": ", _truth(w.tied), ", \"max_position_embeddings\": ", str(w.seq)],
  ["}"],
  ["END"],
]
