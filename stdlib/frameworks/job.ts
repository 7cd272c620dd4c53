// A training job as most frameworks state one: a model by its configuration, degrees, batches, what is
// sharded and recomputed. Importers of this folder turn their own arguments into a Job, and the
// functions here turn a Job into the pieces of a plan, by the profile of the framework.
export import std.import.hf, std.import.hf_names, std.machines, std.models.adapters
import std.import.hf_keys (hf_is)
import std.frameworks.profile, std.exchange, std.strategies.experts, std.strategies.offload, std.strategies.recompute, std.optimizers.adam
export import std.schedules.beside, std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.gpipe

record Job {
  gpus: Int // 0: as many as are launched, or as the degrees need
  launched: Int = 0
  gpu: String
  framework: Framework
  config: Record // a configuration, by the keys of Hugging Face's transformers
  text: Bool = false // of a model of pictures and words the one of words alone
  seq: Int
  mtp: Bool = false
  micro: Int = 1 // samples at a time on a replica
  global: Int = 0 // samples a step; 0: `accumulate` micro-batches of all replicas
  accumulate: Int = 1
  tp: Int = 1
  cp: Int = 1
  heads: Bool = false // parts of sequences exchange heads (Ulysses)
  ep: Int = 1 // ranks that deal out experts, tensor and context parallelism among them
  pp: Int = 1
  chunks: Int = 1
  order: String = "1f1b" // or "gpipe"
  beside: Bool = false // forwards go on beside backwards
  captured: String = "none" // what CUDA graphs hold of a layer of experts: "router", "layer" or "step"
  sizes: List = [] // layers of stages
  copies: Int = 1 // of all that is sharded
  sharding: String = "zero1" // over the rest of the replicas: "ddp", "zero1", "zero2", "fsdp"
  again: Any = none // strategies that recompute
  tiled: String = "" // what goes over words in tiles: "loss", "mlp" or both
  recipe: String = "bf16"
  half: DType = bf16
  on_host: Bool = false // the optimizer works and lies on the host
  states_on_host: Bool = false // the optimizer's states lie there, and come for the update
  kept_on_host: Bool = false // activations do
  optimizer: Optimizer = adam()
  narrow: Bool = false // moments are in the format of the weights, of which there is no copy in fp32
  tuned: Tuning = {} // what is trained
}

// The format of frozen weights that bitsandbytes keeps: four bits with a scale for 64 numbers (4.5 bits; scales that
// are quantized again leave 4.13, here 4.25), or eight.
fn job_stored(four: Bool, eight: Bool, twice: Bool = true) -> Any =
  if four then (if twice then mxfp4 else nvfp4) else if eight then int8 else none

fn _outer(j: Job) -> Int = j.tp * j.cp * j.pp * j.copies
fn _spread(j: Job) -> Int = if j.ep <= j.tp * j.cp then 1 else if j.ep % (j.tp * j.cp) != 0 then refuse(
  "experts over " + str(j.ep) + " ranks do not go with " + str(j.tp * j.cp) + " of tensor and context parallelism",
) else div(j.ep, j.tp * j.cp)
fn _least(j: Job) -> Int = _outer(j) * _spread(j)
fn _fills(j: Job, gpus: Int) -> Bool = gpus >= 1 and gpus % _least(j) == 0 and
  (j.global == 0 or j.global % (j.micro * div(gpus, j.tp * j.cp * j.pp)) == 0)
fn _gpus(j: Job) -> Int = if j.gpus > 0 then j.gpus else if _fills(j, j.launched) then j.launched else if _fills(j, 8) then 8
  else if _fills(j, _least(j)) then _least(j) else refuse(
  "a batch of " + str(j.global) + " samples is no multiple of " + str(j.micro * div(_least(j), j.tp * j.cp * j.pp)) +
    ", the micro-batches of all replicas of " + str(_least(j)) + " GPUs: give `--gpus`",
)
fn _shards(j: Job, gpus: Int) -> Int = if min(j.tp, j.cp, j.pp, j.ep, j.copies, j.micro) < 1 then refuse(
  "degrees and micro-batches are 1 or more",
) else if gpus % _least(j) == 0 then div(gpus, _least(j)) else refuse(
  str(gpus) + " GPUs are no multiple of the degrees' product, " + str(_least(j)) + ": give `--gpus`",
)

fn job_run(j: Job) -> Record = _run(j, _gpus(j), machine_named(j.gpu), hf_sparse_of(j.config, j.text))
fn _run(j: Job, gpus: Int, machine: Machine, sparse: Bool) -> Record = _with(
  j,
  gpus,
  machine,
  sparse,
  if sparse then _spread(j) else 1,
  (if sparse then 1 else _spread(j)) * _shards(j, gpus),
)
fn _with(j: Job, gpus: Int, machine: Machine, sparse: Bool, ep: Int, shards: Int) -> Record = {
  job: j,
  framework: j.framework,
  machine: machine,
  model: hf_of(j.config, j.seq, mtp: j.mtp, text: j.text, tiled: _tiled(j)),
  tuning: tuning_of(
    j.tuned with { packed = j.tuned.packed or _is_packed(j.config) },
    if j.tuned.method == "full" then [] else hf_layers_of(j.config, j.text),
  ),
  cluster: machine.cluster(gpus),
  sparse: sparse,
  tp: j.tp,
  cp: j.cp,
  ep: ep,
  shards: shards,
  copies: j.copies,
  pp: j.pp,
  top: _top(field(j.config, "text_config", j.config)),
  islands: if machine.island == 0 then 1 else ceil_div(j.ep, machine.island),
  batch: { micro: j.micro * ep, global: _global(j, ep * shards * j.copies) },
  micro_batches: _micro_batches(j, _global(j, ep * shards * j.copies), ep * shards * j.copies),
  precision: framework_precision(j.framework) with { compute = j.half, weights = j.half },
  optimizer: if j.narrow then adam_of_weights() else j.framework.update(j.optimizer),
  costs: machine_costs(machine, j.recipe, j.framework.attention),
  network: machine.network,
  host: framework_host(j.framework),
}
// Adapters have no place beside products in tiles, and words of a vocabulary are not dealt out there.
fn _tiled(j: Job) -> String = if j.tuned.method == "full" and j.tp == 1 then j.tiled else if j.tp == 1 and hf_is("loss", j.tiled) and
  not any([n == "lm_head" for n in j.tuned.targets + j.tuned.saved]) then "loss" else ""
// Classes of transformers with queries, keys and values in one module.
fn _is_packed(config: Record) -> Bool = any([
  field(config, "model_type", "") == t for t in words("phi3 phi4mm falcon bloom gpt_neox gpt2 mpt dbrx chatglm baichuan internlm2")
])
fn _global(j: Job, replicas: Int) -> Int = if j.global > 0 then j.global else j.micro * j.accumulate * replicas
fn _micro_batches(j: Job, global: Int, replicas: Int) -> Int = if global % (j.micro * replicas) != 0 then refuse(
  "a batch of " + str(global) + " samples is no multiple of the " + str(j.micro * replicas) + " that all replicas take at a time",
) else div(global, j.micro * replicas)

fn job_strategies(run: Record, tp: Axis, cp: Axis, ep: Axis, shards: Axis, copies: Axis, pp: Axis) -> List = [
  framework_tensor(run.framework, tp, run.machine.costs.slows),
  framework_context(run.framework, cp, run.job.heads),
] + (if run.sparse and tp.size * cp.size * ep.size > 1 and run.job.ep > 1 then _experts(run, tp, cp, ep) else []) + [
  framework_data(run.framework, cp * ep * shards, run.job.sharding, pp.size),
  framework_data(run.framework, copies, "ddp"),
  if run.job.on_host then update_on_host() else if run.job.states_on_host then offload_optimizer() else none,
  if run.job.kept_on_host then offload_activations() else none,
  framework_products(run.job.recipe, current: run.framework.current),
  framework_turned(run.machine, run.job.recipe),
  if hf_is("loss", _tiled(run.job)) then none else framework_loss(run.framework),
  run.job.again,
]
fn _experts(run: Record, tp: Axis, cp: Axis, ep: Axis) -> List = [
  expert_parallel(tp * cp * ep, batch: ep, sent: _sent(run), returned: _sent(run)),
  framework_sorting(run.framework.exchange, tp.size * cp.size * ep.size),
  framework_experts(run.framework.experts, tp.size * cp.size * ep.size, run.job.captured, run.job.recipe),
]
// Experts that a token meets.
let _top_keys = ["num_experts_per_tok", "moe_topk", "moe_k", "top_k_experts", "num_experts_per_token"]
fn _top(config: Record) -> Int = max([1] + [field(config, key, 1) for key in _top_keys if not is_list(field(config, key, 1))])
// Of what all copies of tokens are, the library that sends them sends so many.
fn _sent(run: Record) -> Real = exchange_share(exchange_of(run.framework.exchange), run.job.ep, run.islands, run.top)
fn job_network(run: Record, over: Axis) = if not run.sparse or run.job.ep == 1 then run.network else exchange_network(
  exchange_of(run.framework.exchange),
  over,
  over.size,
  run.islands,
  run.top,
  link_of(run.job.gpu),
) + run.network
fn job_schedule(run: Record, p: Axis) -> Schedule = if run.job.beside and (p.size == 1 or run.job.chunks > 1) then one_f_one_b_beside(
  p: p,
  m: run.micro_batches,
  v: run.job.chunks,
  sizes: run.job.sizes,
) else if run.job.chunks > 1 then interleaved_one_f_one_b(
  p: p,
  m: run.micro_batches,
  v: run.job.chunks,
  group: if run.micro_batches % p.size == 0 then 0 else p.size,
  sizes: run.job.sizes,
  balanced: run.job.sizes == [],
) else if run.job.order == "gpipe" then gpipe(p: p, m: run.micro_batches, sizes: run.job.sizes) else one_f_one_b(
  p: p,
  m: run.micro_batches,
  sizes: run.job.sizes,
  balanced: run.job.sizes == [],
)

// Files of DeepSpeed's settings that are not there, by names that say their stage: DeepSpeed's own, Axolotl's,
// LLaMA-Factory's, ms-swift's.
fn _stage_named(stage: String, names: String) -> List[Record] = [
  {
    names: [n + "*offload*" for n in words(names)],
    keys: ["zero_optimization_stage=" + stage, "zero_optimization_offload_optimizer_device=cpu"],
    why: "it is taken for ZeRO's stage " + stage + " with the optimizer on the host, as it is named",
  },
  {
    names: [n + "*" for n in words(names)],
    keys: ["zero_optimization_stage=" + stage],
    why: "it is taken for ZeRO's stage " + stage + ", as it is named",
  },
]
let job_stages: List[Record] = [
  r for i in 0..4 for s in [str(i)] for r in _stage_named(
    s,
    "*zero" + s + " *zero_" + s + " *z" + s + " *stage" + s + " *stage_" + s,
  )
]

// The plan of importers whose arguments become a Job, by the function of this name. `tuned`: they may
// train a part of the model.
fn job_plan(function: String, tuned: Bool = false) -> List[String] = [
  "let run = job_run(" + function + "(arguments))",
  "",
  "plan training {",
  "  framework = run.framework",
  "  model = run.model",
] + (if tuned then ["  tuning = run.tuning"] else []) + [
  "  cluster = run.cluster",
  "  mesh = { tp: run.tp, cp: run.cp, ep: run.ep, shards: run.shards, copies: run.copies, pp: run.pp }",
  "  apply = job_strategies(run, tp, cp, ep, shards, copies, pp)",
  "  schedule = job_schedule(run, pp)",
  "  batch = run.batch",
  "  precision = run.precision",
  "  optimizer = run.optimizer",
  "  costs = run.costs",
  "  network = job_network(run, tp * cp * ep)",
  "  host = run.host",
  "}",
]
