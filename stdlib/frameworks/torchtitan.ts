// torchtitan's job files as plans: `trainspec import torchtitan FILE.toml [--section.key value]...`.
// A key `[section] key` is the field `section_key`; keys that are left out have the defaults of
// torchtitan/config/job_config.py (pytorch/torchtitan at eeca21577, January 2026: the last files of
// TOML are of February 2026, configurations are Python since). A model is a flavor by name, whose
// sizes are those of torchtitan/models/*/__init__.py there. What a function of a registry of Python
// returns (config_registry.py of August 2026) comes as JSON from the Python package, `python3 -m
// trainspec.registry`: its words in tokens are turned into those of the files of TOML.
export import std.models.llama, std.models.llama_eager, std.models.llama_moe, std.models.deepseek, std.models.gpt_oss, std.machines
import std.frameworks.profile, std.frameworks.torch, std.strategies.experts, std.strategies.data, std.strategies.recompute
export import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.gpipe

record TorchtitanArguments {
  gpus: Int
  gpu: String
  model_name: String = "llama3"
  model_flavor: String = "debugmodel"
  model_converters: List[String] = []
  training_local_batch_size: Int = 8
  training_global_batch_size: Int = -1
  training_seq_len: Int = 2048
  parallelism_data_parallel_replicate_degree: Int = 1
  parallelism_data_parallel_shard_degree: Int = -1
  parallelism_fsdp_reshard_after_forward: String = "default"
  parallelism_tensor_parallel_degree: Int = 1
  parallelism_enable_async_tensor_parallel: Bool = false
  parallelism_pipeline_parallel_degree: Int = 1
  parallelism_pipeline_parallel_first_stage_less_layers: Int = 1
  parallelism_pipeline_parallel_last_stage_less_layers: Int = 1
  parallelism_pipeline_parallel_layers_per_stage: Int = 0 // none: two stages a rank of schedules with several, else one
  parallelism_pipeline_parallel_schedule: String = "1F1B"
  parallelism_pipeline_parallel_microbatch_size: Int = 1
  parallelism_context_parallel_degree: Int = 1
  parallelism_context_parallel_rotate_method: String = "allgather"
  parallelism_expert_parallel_degree: Int = 1
  parallelism_expert_tensor_parallel_degree: Int = 1
  parallelism_expert_parallel_comm_backend: String = "standard"
  activation_checkpoint_mode: String = "selective"
  activation_checkpoint_selective_ac_option: String = "2"
  // of a registry
  registry_function: String = ""
  model_spec__args_: List[String] = []
  model_spec_converters__target_: List[String] = []
  model_spec_moe_comm_backend: String = "standard"
  training_num_tokens_per_microbatch_per_dp_rank: Int = 16384
  training_num_tokens_per_train_step: Int = -1
  training_max_context_length: Int = 2048
  training_disable_cuda_graphs: Bool = false
  activation_checkpoint__target_: String = ""
  parallelism_num_pp_microbatches: Int = 1
  compile_enable: Bool = false
  compile_components: List[String] = ["model", "loss"]
}

// -- models: by name and flavor --
fn _times_of(x: Int, to: Int) -> Int = ceil_div(x, to) * to
// Width of the MLP: two thirds of four times the width, times a factor, up to a multiple
// (torchtitan/models/llama3/model/model.py, FeedForward).
fn _ffn(dim: Int, factor: Real, multiple: Int) -> Int = _times_of(floor(factor * div(8 * dim, 3)), multiple)
fn _llama3(name: String, layers: Int, hidden: Int, heads: Int, kv_heads: Int, ffn: Int, vocab: Int = 128256) -> Record = {
  model: "llama3",
  flavors: name,
  layers: layers,
  sparse: false,
  build: _llama,
  sizes: { layers, hidden, heads, kv_heads, ffn, vocab, head_dim: div(hidden, heads), qk_norm: false, tied: false },
}
fn _qwen3(name: String, layers: Int, hidden: Int, heads: Int, ffn: Int, tied: Bool = false, vocab: Int = 151936) -> Record = {
  model: "qwen3",
  flavors: name,
  layers: layers,
  sparse: false,
  build: _llama,
  sizes: { layers, hidden, heads, kv_heads: 8, ffn, vocab, head_dim: 128, qk_norm: true, tied: tied },
}
fn _qwen3_moe(name: String, layers: Int, hidden: Int, heads: Int, kv_heads: Int, ffn: Int, experts: Int, vocab: Int = 151936) -> Record = {
  model: "qwen3",
  flavors: name,
  layers: layers,
  sparse: true,
  build: _routed,
  sizes: { layers, hidden, heads, kv_heads, ffn, vocab, head_dim: 128, qk_norm: true, experts, top: 8, shared: 0, every: 1, dense: 0 },
}
// Experts' width is divided by how many a token meets (`auto_scale_hidden_dim`).
fn _llama4(name: String, experts: Int, every: Int) -> Record = {
  model: "llama4",
  flavors: name,
  layers: 48,
  sparse: true,
  build: _routed,
  sizes: {
    layers: 48,
    hidden: 5120,
    heads: 40,
    kv_heads: 8,
    ffn: 8192,
    vocab: 202048,
    head_dim: 128,
    qk_norm: false,
    experts: experts,
    top: 1,
    shared: 8192,
    every: every,
    dense: 16384,
  },
}
fn _deepseek(
  name: String,
  layers: Int,
  first: Int,
  hidden: Int,
  heads: Int,
  q_rank: Int,
  dense: Int,
  ffn: Int,
  experts: Int,
  top: Int,
  shared: Int,
  vocab: Int,
) -> Record = {
  model: "deepseek_v3",
  flavors: name,
  layers: layers,
  sparse: true,
  build: _latent,
  sizes: { layers, dense_layers: first, hidden, heads, q_rank, dense, ffn, experts, top, shared: shared * ffn, vocab },
}
fn _oss(name: String, layers: Int, experts: Int) -> Record = {
  model: "gpt_oss",
  flavors: name,
  layers: layers,
  sparse: true,
  build: _gpt_oss,
  sizes: { layers, experts },
}
let _models: List[Record] = [
  _llama3("debugmodel debugmodel_flex_attn debugmodel_varlen_attn", 6, 256, 16, 16, _ffn(256, 1, 256), 2048),
  _llama3("8B 8B_flex 8B_varlen", 32, 4096, 32, 8, _ffn(4096, 1.3, 1024)),
  _llama3("70B", 80, 8192, 64, 8, _ffn(8192, 1.3, 4096)),
  _llama3("405B", 126, 16384, 128, 8, _ffn(16384, 1.2, 4096)),
  _qwen3("debugmodel", 8, 256, 16, 3072, true, 2048),
  _qwen3("0.6B", 28, 1024, 16, 3072, true),
  _qwen3("1.7B", 28, 2048, 16, 6144, true),
  _qwen3("4B", 36, 2560, 32, 9728, true),
  _qwen3("8B", 36, 4096, 32, 12288),
  _qwen3("14B", 40, 5120, 40, 17408),
  _qwen3("32B", 64, 5120, 64, 25600),
  _qwen3_moe("debugmodel_moe", 8, 256, 16, 8, 768, 64, 2048),
  _qwen3_moe("30B-A3B", 48, 2048, 32, 4, 768, 128),
  _qwen3_moe("235B-A22B", 94, 4096, 64, 4, 1536, 128),
  _llama4("17bx16e 17bx16e_irope", 16, 1),
  _llama4("17bx128e 17bx128e_irope", 128, 2),
  _deepseek("debugmodel debugmodel_flex_attn", 6, 1, 256, 16, 0, 1024, 256, 8, 3, 2, 2048),
  _deepseek("16B", 27, 1, 2048, 16, 0, 10944, 1408, 64, 6, 2, 102400),
  _deepseek("236B", 60, 1, 5120, 128, 1536, 12288, 1536, 160, 6, 2, 102400),
  _deepseek("671B", 61, 3, 7168, 128, 1536, 18432, 2048, 256, 8, 1, 129280),
  _oss("20b", 24, 32),
  _oss("120b", 36, 128),
]
fn torchtitan_flavors() -> List = _models
fn _is(name: String, names: String) -> Bool = any([n == name for n in words(names)])
fn _flavor(a: TorchtitanArguments) -> Record = _first(
  [m for m in _models if m.model == a.model_name and _is(a.model_flavor, m.flavors)],
  "no flavor `" + a.model_flavor + "` of the model `" + a.model_name + "` is known: choose one of " +
    str([m.model + " " + n for m in _models for n in words(m.flavors)]),
)
fn _first(found: List, why: String) -> Record = if found == [] then refuse(why) else found[0]

// Without a compiler norms, rotary positions and SwiGLU are operations of their own; those of Qwen's
// normed queries and keys, of experts and of parts of a sequence have no such kernels in std, and are
// taken as compiled.
fn _compiled(a: TorchtitanArguments, part: String) -> Bool = a.compile_enable and any([c == part for c in a.compile_components])
fn _llama(s: Record, a: TorchtitanArguments) -> Model = if _compiled(a, "model") or s.qk_norm or a.parallelism_context_parallel_degree > 1 then llama(
  layers: s.layers,
  hidden: s.hidden,
  heads: s.heads,
  kv_heads: s.kv_heads,
  ffn: s.ffn,
  vocab: s.vocab,
  seq: a.training_seq_len,
  head_dim: s.head_dim,
  qk_norm: s.qk_norm,
  tied: s.tied,
  apart: a.parallelism_tensor_parallel_degree == 1,
) else eager_llama(
  layers: s.layers,
  hidden: s.hidden,
  heads: s.heads,
  kv_heads: s.kv_heads,
  ffn: s.ffn,
  vocab: s.vocab,
  seq: a.training_seq_len,
  apart: a.parallelism_tensor_parallel_degree == 1,
  whole: true,
)
fn _routed(s: Record, a: TorchtitanArguments) -> Model = llama_moe(
  layers: s.layers,
  hidden: s.hidden,
  heads: s.heads,
  kv_heads: s.kv_heads,
  ffn: s.ffn,
  experts: s.experts,
  top: s.top,
  vocab: s.vocab,
  seq: a.training_seq_len,
  head_dim: s.head_dim,
  qk_norm: s.qk_norm,
  shared: s.shared,
  every: s.every,
  dense: s.dense,
)
fn _latent(s: Record, a: TorchtitanArguments) -> Model = deepseek(
  layers: s.layers,
  dense_layers: s.dense_layers,
  hidden: s.hidden,
  heads: s.heads,
  q_rank: s.q_rank,
  kv_rank: 512,
  dense: s.dense,
  ffn: s.ffn,
  experts: s.experts,
  top: s.top,
  vocab: s.vocab,
  seq: a.training_seq_len,
  shared: s.shared,
  mtp: 0,
)
fn _gpt_oss(s: Record, a: TorchtitanArguments) -> Model = gpt_oss(s.layers, s.experts, a.training_seq_len)
fn _built(build: Function, s: Record, a: TorchtitanArguments) -> Model = build(s, a)

// -- a registry's function, by the names of job files: its name begins with that of the model --
let _families: List[Record] = [
  { words: "llama3", model: "llama3" },
  { words: "llama4", model: "llama4" },
  { words: "qwen3", model: "qwen3" },
  { words: "deepseek", model: "deepseek_v3" },
  { words: "gpt", model: "gpt_oss" },
]
fn _family(function: String) -> String = _first(
  [f for f in _families for w in words(function, "_") if w == f.words],
  "`" + function +
    "`: the name of a registry's function says its model, llama3, llama4, qwen3, deepseek or gpt; others have no plan here yet",
).model
fn _samples(tokens: Int, a: TorchtitanArguments) -> Int = if tokens % a.training_max_context_length == 0 then div(
  tokens,
  a.training_max_context_length,
) else refuse(str(tokens) + " tokens are no multiple of `training.max_context_length`, " + str(a.training_max_context_length))
// Registries before August 2026 count samples, as files of TOML do.
fn _named(a: TorchtitanArguments) -> TorchtitanArguments = if a.registry_function == "" then a else if a.training_seq_len != 2048 or
  a.training_local_batch_size != 8 or a.training_global_batch_size != -1 then _as_job(a) else _as_job(
  _in_samples(a, _samples(a.training_num_tokens_per_microbatch_per_dp_rank, a)),
)
fn _in_samples(a: TorchtitanArguments, samples: Int) -> TorchtitanArguments = a with {
  training_seq_len = a.training_max_context_length
  training_local_batch_size = samples * (if _pp(a) > 1 then a.parallelism_num_pp_microbatches else 1)
  training_global_batch_size = if a.training_num_tokens_per_train_step < 0 then -1 else _samples(a.training_num_tokens_per_train_step, a)
  parallelism_pipeline_parallel_microbatch_size = samples
}
fn _as_job(a: TorchtitanArguments) -> TorchtitanArguments = a with {
  model_name = _family(a.registry_function)
  model_flavor = if a.model_spec__args_ == [] then refuse("the function names no flavor of a model") else a.model_spec__args_[0]
  model_converters = a.model_spec_converters__target_
  parallelism_expert_parallel_comm_backend = a.model_spec_moe_comm_backend
  activation_checkpoint_mode = match a.activation_checkpoint__target_ {
    "SelectiveAC.Config" -> "selective"
    "FullAC.Config" -> "full"
    "" -> "none"
    _ -> a.activation_checkpoint__target_
  }
  activation_checkpoint_selective_ac_option = "op"
}
fn _graphs(a: TorchtitanArguments) -> Bool = a.registry_function != "" and not a.training_disable_cuda_graphs and _pp(a) == 1

// -- degrees --
fn _inner(a: TorchtitanArguments) -> Int =
  a.parallelism_tensor_parallel_degree * a.parallelism_context_parallel_degree * a.parallelism_pipeline_parallel_degree *
  a.parallelism_data_parallel_replicate_degree
fn _shards(a: TorchtitanArguments) -> Int = _whole(
  a,
  if a.parallelism_data_parallel_shard_degree == -1 then max(1, div(a.gpus, _inner(a))) else a.parallelism_data_parallel_shard_degree,
)
fn _whole(a: TorchtitanArguments, shards: Int) -> Int = if shards * _inner(a) == a.gpus then shards else refuse(
  str(a.gpus) + " GPUs are not the product of the degrees: give `--gpus` a multiple of " + str(_inner(a)),
)
fn _replicas(a: TorchtitanArguments) -> Int = _shards(a) * a.parallelism_data_parallel_replicate_degree
fn _pp(a: TorchtitanArguments) -> Int = a.parallelism_pipeline_parallel_degree
// Experts lie over a part of the shards.
fn _ep(a: TorchtitanArguments, sparse: Bool) -> Int = if not sparse or a.parallelism_expert_parallel_degree == 1 then 1
  else if a.parallelism_tensor_parallel_degree > 1 or a.parallelism_context_parallel_degree > 1 then refuse(
  "`parallelism.expert_parallel_degree` with tensor or context parallelism has no plan here yet",
) else if _shards(a) % a.parallelism_expert_parallel_degree != 0 then refuse(
  "`parallelism.expert_parallel_degree` divides the shards, " + str(_shards(a)),
) else a.parallelism_expert_parallel_degree

// -- batches: without a pipeline a rank's batch is one micro-batch --
fn _micro(a: TorchtitanArguments) -> Int = if _pp(a) > 1 then a.parallelism_pipeline_parallel_microbatch_size
  else a.training_local_batch_size
fn _global(a: TorchtitanArguments) -> Int = if a.training_global_batch_size == -1 then a.training_local_batch_size * _replicas(
  a,
) else if _pp(a) > 1 and a.training_global_batch_size != a.training_local_batch_size * _replicas(a) then refuse(
  "`training.global_batch_size` of several pipelines one after the other has no plan here yet",
) else a.training_global_batch_size
fn _micro_batches(a: TorchtitanArguments) -> Int = if _global(a) % (_micro(a) * _replicas(a)) != 0 then refuse(
  "the batch of " + str(_global(a)) + " is no multiple of the " + str(_micro(a) * _replicas(a)) + " of all replicas",
) else div(_global(a), _micro(a) * _replicas(a))

// -- stages (torchtitan/distributed/pipeline_parallel.py, generate_llm_fqn_per_model_part) --
fn _ends(a: TorchtitanArguments) -> Int =
  a.parallelism_pipeline_parallel_first_stage_less_layers + a.parallelism_pipeline_parallel_last_stage_less_layers
fn _chunks(a: TorchtitanArguments, layers: Int) -> Int = if a.parallelism_pipeline_parallel_layers_per_stage > 0 then div(
  ceil_div(layers + _ends(a), a.parallelism_pipeline_parallel_layers_per_stage),
  _pp(a),
) else if a.parallelism_pipeline_parallel_schedule == "Interleaved1F1B" then 2 else 1
// Layers of stage `s`, where the first and the last of `stages` have so many less.
fn torchtitan_size(layers: Int, first: Int, final: Int, stages: Int, s: Int) -> Int = div(layers + first + final, stages) +
  (if s < (layers + first + final) % stages then 1 else 0) - (if s == 0 then first else if s == stages - 1 then final else 0)
fn _sizes(a: TorchtitanArguments, layers: Int, stages: Int) -> List = if stages == 1 then [] else [
  torchtitan_size(
    layers,
    a.parallelism_pipeline_parallel_first_stage_less_layers,
    a.parallelism_pipeline_parallel_last_stage_less_layers,
    stages,
    s,
  ) for s in 0..stages
]
fn torchtitan_schedule(run: Record, p: Axis) -> Schedule = match run.arguments.parallelism_pipeline_parallel_schedule {
  "1F1B" -> one_f_one_b(p: p, m: run.micro_batches, sizes: run.sizes)
  "GPipe" -> gpipe(p: p, m: run.micro_batches, sizes: run.sizes)
  "Interleaved1F1B" -> interleaved_one_f_one_b(p: p, m: run.micro_batches, v: run.chunks, sizes: run.sizes)
  _ -> refuse(
    "`parallelism.pipeline_parallel_schedule`: " + run.arguments.parallelism_pipeline_parallel_schedule +
      " has no plan here yet: 1F1B, GPipe or Interleaved1F1B",
  )
}

// -- what the file sets of the profile --
// What converters make of products: of each all layers'.
let _converters: List[Record] = [
  { names: "float8 quantize.linear.float8 Float8LinearConverter.Config Float8GroupedExpertsConverter.Config", recipe: "fp8" },
  { names: "MXFP8LinearConverter.Config MXFP8GroupedExpertsConverter.Config", recipe: "mxfp8" },
  { names: "NVFP4LinearConverter.Config", recipe: "nvfp4" },
]
fn _recipe(a: TorchtitanArguments) -> String = last(
  ["bf16"] + [r.recipe for c in a.model_converters for r in _converters if _is(c, r.names)],
)
fn _profile(a: TorchtitanArguments) -> Framework = torchtitan with {
  loss = if _compiled(a, "loss") then torchtitan.loss else torchtitan_2024.loss
  tensor = if a.parallelism_enable_async_tensor_parallel then "ring" else torchtitan.tensor
  context = "stream"
  exchange =
    if a.parallelism_expert_parallel_comm_backend == "deepep" then "deep_ep" else if a.parallelism_expert_parallel_comm_backend ==
    "hybridep" then "hybrid_ep" else torchtitan.exchange
}
fn _again(a: TorchtitanArguments) -> Any = match a.activation_checkpoint_mode {
  "none" -> none
  "full" -> framework_recompute("full")
  "selective" -> if a.activation_checkpoint_selective_ac_option == "op"
    then framework_recompute(if _compiled(a, "model") then "ops" else "ops_eager") else _every(a.activation_checkpoint_selective_ac_option)
  _ -> refuse("`activation_checkpoint.mode`: " + a.activation_checkpoint_mode + " has no plan here yet: none, selective or full")
}
fn _every(option: String) -> Any = match option {
  "1" -> full()
  "2" -> full(every: 2)
  "3" -> full(every: 3)
  "4" -> full(every: 4)
  _ -> refuse("`activation_checkpoint.selective_ac_option` is op, or one layer in 1 to 4")
}

fn torchtitan_run(a: TorchtitanArguments) -> Record = _run_of(_named(a))
fn _run_of(a: TorchtitanArguments) -> Record = _run(a, _flavor(a), machine_named(a.gpu), _profile(a))
fn _run(a: TorchtitanArguments, flavor: Record, machine: Machine, framework: Framework) -> Record = {
  arguments: a,
  framework: framework,
  machine: machine,
  model: _built(flavor.build, flavor.sizes, a),
  cluster: machine.cluster(a.gpus),
  sparse: flavor.sparse,
  tp: a.parallelism_tensor_parallel_degree,
  cp: a.parallelism_context_parallel_degree,
  ep: _ep(a, flavor.sparse),
  shards: div(_shards(a), _ep(a, flavor.sparse)),
  copies: a.parallelism_data_parallel_replicate_degree,
  pp: _pp(a),
  chunks: _chunks(a, flavor.layers),
  sizes: _sizes(a, flavor.layers, _pp(a) * _chunks(a, flavor.layers)),
  batch: { micro: _micro(a) * _ep(a, flavor.sparse), global: _global(a) },
  micro_batches: _micro_batches(a),
  recipe: _recipe(a),
  precision: framework_precision(framework),
  optimizer: framework_optimizer(framework),
  costs: machine_costs(machine, _recipe(a), framework.attention),
  network: machine.network,
  host: framework_host(framework, graphs: framework.graphs or _graphs(a)),
}
fn _sharding(run: Record) -> String = match run.arguments.parallelism_fsdp_reshard_after_forward {
  "default" -> "fsdp"
  "always" -> if run.pp > 1 then refuse(
    "`parallelism.fsdp_reshard_after_forward`: always with a pipeline has no plan here yet",
  ) else "fsdp"
  "never" -> if run.pp > 1 then "fsdp" else "zero2"
  _ -> refuse("`parallelism.fsdp_reshard_after_forward` is default, always or never")
}
// Shards with copies of them (HSDP), or copies alone (DDP).
fn torchtitan_strategies(run: Record, tp: Axis, cp: Axis, ep: Axis, shards: Axis, copies: Axis) -> List = [
  framework_tensor(run.framework, tp, run.machine.costs.slows),
  framework_context(run.framework, cp),
  if ep.size > 1 then expert_parallel(ep, batch: ep) else none,
  if ep.size > 1 then framework_sorting(run.framework.exchange, ep.size) else none,
  if run.sparse then framework_experts(run.framework.experts, ep.size, "none", run.recipe) else none,
  framework_data(run.framework, cp * ep * shards, _sharding(run), run.pp),
  framework_data(run.framework, copies, "ddp"),
  framework_products(run.recipe, current: run.framework.current),
  framework_loss(run.framework),
  _again(run.arguments),
]

// What `trainspec import torchtitan` reads.
let torchtitan_line = {
  about: "A job of torchtitan's, by its file: `trainspec import torchtitan` wrote it.",
  arguments: "TorchtitanArguments",
  gpu: "h100",
  files: ["toml json"],
  prefixes: [
    { given: "_function_", as: "registry_function" },
    { given: "_target_", as: "registry_target" },
    { given: "_unread_", as: "registry_unread" },
    { given: "compile_enable_async", as: "parallelism_enable_async" },
    {
      given: "activation_checkpoint_force_recompute_mm_shapes_by_fqns",
      as: "activation_checkpoint_per_op_sac_force_recompute_mm_shapes_by_fqns",
    },
  ],
  harmless: [
    {
      why: "names of the registry's classes",
      names: [
        "registry_target metrics__target_ checkpoint__target_ training__target_ parallelism__target_ compile__target_ debug__target_",
        "lr_scheduler__target_ dataloader__target_ profiler__target_ comm__target_ loss_loss_fn__target_ validator__target_",
        "model_spec__target_ loss_loss_fn_global_vocab_size__target_ loss_loss_fn_global_vocab_size__args_*",
        "loss_loss_fn_global_vocab_size_* loss_global_vocab_size_*",
      ],
    },
    {
      why: "where words and weights come from, and what is written beside steps",
      names: ["hf_assets_path dataloader_* tokenizer_* profiler_* validator_* dump_folder checkpoint_* debug_print_config"],
    },
    { why: "numbers of the optimizer: an update takes as long with any", names: ["optimizer_lr optimizer_betas"] },
    { why: "a kind of types, not of work", names: ["parallelism_spmd_backend"] },
    { why: "attention is of one library here", names: ["model_spec_attn_backend"] },
    { why: "of products in few bits, which the layers' are", names: ["model_spec_converters_*"] },
    { why: "each rank has as many tokens as another", names: ["model_spec_non_blocking_capacity_factor"] },
    {
      why: "what is written, logged and recorded beside steps",
      names: [
        "job_* profiling_* metrics_* checkpoint_* comm_* memory_estimation_* debug_seed validation_* training_gc_freq training_gc_debug",
        "model_print_after_conversion",
      ],
    },
    {
      why: "where words and weights come from",
      names: ["model_hf_assets_path model_tokenizer_path training_dataset training_dataset_path training_dataloader_*"],
    },
    {
      why: "numbers of the optimizer: an update takes as long with any",
      names: [
        "optimizer_lr optimizer_eps optimizer_weight_decay optimizer_beta1 optimizer_beta2 lr_scheduler_* training_steps training_max_norm",
      ],
    },
    { why: "how each schedule cuts ranks' work by itself", names: ["parallelism_context_parallel_load_balancer"] },
    { why: "experts' loads are even in a plan, unless it says so", names: ["debug_moe_force_load_balance"] },
    { why: "of formats that no converter asks for", names: ["quantize_linear_mx_* quantize_grouped_mm_mx_* quantize_grouped_mm_float8_*"] },
    {
      why: "as torchtitan has it by default",
      names: [
        "optimizer_name optimizer_implementation optimizer_early_step_in_backward training_enable_cpu_offload training_dtype",
        "training_mixed_precision_param training_mixed_precision_reduce parallelism_disable_loss_parallel compile_backend",
        "activation_checkpoint_early_stop activation_checkpoint_preserve_rng_state activation_checkpoint_determinism_check",
        "activation_checkpoint_debug activation_checkpoint_memory_budget activation_checkpoint_visualize_memory_budget_pareto",
        "activation_checkpoint_per_op_sac_force_recompute_mm_shapes_by_fqns fault_tolerance_enable debug_deterministic",
        "debug_deterministic_warn_only quantize_linear_float8_filter_fqns quantize_linear_float8_recipe_name",
        "quantize_linear_float8_emulate quantize_linear_float8_enable_fsdp_float8_all_gather",
        "quantize_linear_float8_precompute_float8_dynamic_scale_for_fsdp parallelism_module_fqns_per_model_part",
        "parallelism_pipeline_parallel_schedule_csv parallelism_pipeline_parallel_expert_parallel_overlap experimental_*",
      ],
    },
  ],
  partly: [
    { why: "these statements are not read: the plan has what the others set", names: ["registry_unread"] },
    {
      why: "logits and their loss are there at once, not in parts of a sequence",
      but: ["CrossEntropyLoss.Config"],
      names: ["loss__target_"],
    },
    { why: "sequence parallelism goes with tensor parallelism here", but: ["true"], names: ["parallelism_enable_sequence_parallel"] },
    {
      why: "it can change a step, and is not followed: the plan has torchtitan's default",
      names: ["override_imports model_spec_num_mtp_layers model_spec_tp_gemm_backend"],
    },
    {
      why: "sharded weights are gathered in bf16 here, which are twice the bytes of fp8",
      but: ["false"],
      names: ["quantize_linear_float8_enable_fsdp_float8_all_gather quantize_linear_float8_precompute_float8_dynamic_scale_for_fsdp"],
    },
    {
      why: "products of all layers are in fp8 here, the head and routers are not",
      but: ["output", "router.gate", "auto_filter_small_kn"],
      names: ["quantize_linear_float8_filter_fqns"],
    },
    {
      why: "a recipe of scales by rows is priced as that of scales by tensors",
      but: ["tensorwise", ""],
      names: ["quantize_linear_float8_recipe_name"],
    },
    { why: "keys and values are gathered here", but: ["allgather"], names: ["parallelism_context_parallel_rotate_method"] },
  ],
  refused: [
    {
      why: "the optimizer has no record here: one of AdamW for all weights is followed",
      but: ["default_adamw"],
      names: ["optimizer__target_"],
    },
    { why: "how layers are recomputed is not stated", names: ["activation_checkpoint"] },
    {
      why: "losses of several words have no plan in this importer yet",
      but: ["CrossEntropyLoss.Config ChunkedLossWrapper.Config"],
      names: ["loss__target_"],
    },
    {
      why: "formats other than these have no plan in this importer yet",
      but: [
        "Float8LinearConverter.Config Float8GroupedExpertsConverter.Config MXFP8LinearConverter.Config MXFP8GroupedExpertsConverter.Config NVFP4LinearConverter.Config",
      ],
      names: ["model_spec_converters__target_"],
    },
    { why: "the optimizer has no record here: Adam and AdamW are followed", but: ["AdamW", "Adam"], names: ["optimizer_name"] },
    {
      why: "an update in another way has no plan here yet",
      but: ["fused", "false"],
      names: ["optimizer_implementation optimizer_early_step_in_backward"],
    },
    { why: "states and weights on the host have no plan here yet", but: ["false"], names: ["training_enable_cpu_offload"] },
    {
      why: "weights, work and sums are in fp32, bf16 and fp32 here",
      but: ["float32"],
      names: ["training_dtype training_mixed_precision_reduce"],
    },
    { why: "work is in bf16 here", but: ["bfloat16"], names: ["training_mixed_precision_param"] },
    { why: "the loss is dealt out over tensor parallelism here", but: ["false"], names: ["parallelism_disable_loss_parallel"] },
    { why: "another compiler has no plan here yet", but: ["inductor"], names: ["compile_backend"] },
    {
      why: "formats other than fp8 by tensors have no plan here yet",
      but: ["float8", "quantize.linear.float8"],
      names: ["model_converters"],
    },
    { why: "replicas that come and go have no plan here yet", but: ["false", "none"], names: ["fault_tolerance_enable"] },
    { why: "kernels that give the same bits each time are not priced", but: ["false"], names: ["debug_deterministic"] },
    {
      why: "code of one's own has no plan here",
      but: [""],
      names: ["experimental_custom_import experimental_custom_args_module job_custom_config_module"],
    },
    {
      why: "stages and orders of one's own have no plan here yet",
      but: [""],
      names: ["parallelism_module_fqns_per_model_part parallelism_pipeline_parallel_schedule_csv"],
    },
    {
      why: "products that are made again by their shapes have no plan here yet: routers' alone",
      but: ["moe.router.gate"],
      names: ["activation_checkpoint_per_op_sac_force_recompute_mm_shapes_by_fqns"],
    },
    { why: "parts of an expert have no plan here yet", but: ["1"], names: ["parallelism_expert_tensor_parallel_degree"] },
    { why: "the backend is made up: nothing is sent", but: ["default"], names: ["comm_mode"] },
  ],
  plan: [
    "let run = torchtitan_run(arguments)",
    "",
    "plan training {",
    "  framework = run.framework",
    "  model = run.model",
    "  cluster = run.cluster",
    "  mesh = { tp: run.tp, cp: run.cp, ep: run.ep, shards: run.shards, copies: run.copies, pp: run.pp }",
    "  apply = torchtitan_strategies(run, tp, cp, ep, shards, copies)",
    "  schedule = torchtitan_schedule(run, pp)",
    "  batch = run.batch",
    "  precision = run.precision",
    "  optimizer = run.optimizer",
    "  costs = run.costs",
    "  network = run.network",
    "  host = run.host",
    "}",
  ],
}
let command_line = torchtitan_line
