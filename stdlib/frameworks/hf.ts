// A configuration of Hugging Face's transformers as a plan: `trainspec import hf config.json` writes
// plans that call this. The file says what the model is. How it is trained it does not: the arguments
// say that, and what they leave out is as in the plans that `trainspec init` begins
// with (std.tools.start).
export import std.import.hf, std.machines
import std.frameworks.profile, std.frameworks.nvidia, std.frameworks.torch, std.strategies.experts
export import std.schedules.one_f_one_b

record HfArguments {
  gpus: Int
  gpu: String
  config: String
  seq: Int = 0 // words of a sample; 0: as std.import.hf has it
  micro_batch: Int = 1 // samples at a time on a replica
  global_batch: Int = 0 // samples a step; 0: as many as there are replicas
  tp: Int = 1 // tensor parallelism
  pp: Int = 1 // stages of the pipeline
  ep: Int = 1 // experts over so many replicas
  sharding: String = "zero1" // over replicas: "ddp", "zero1", "zero2" or "fsdp"
  recompute: String = "none" // or "cheap", "attention", "selective", "full"
  framework: String = "megatron_lm" // or "megatron_core", "torchtitan"
  mtp: Bool = false // with the modules that predict further words
  text: Bool = false // of a model of pictures and words the one of words alone
}

fn _profile(name: String) -> Framework = match name {
  "megatron_core" -> megatron_core
  "megatron_lm" -> megatron_lm
  "torchtitan" -> torchtitan
  _ -> refuse("no framework `" + name + "`: choose megatron_lm, megatron_core or torchtitan")
}
fn _replicas(a: HfArguments) -> Int = if min(a.gpus, a.tp, a.pp, a.ep, a.micro_batch, a.global_batch + 1) < 1 then refuse(
  "`gpus`, `tp`, `pp`, `ep` and `micro_batch` are 1 or more, `global_batch` is 0 or more",
) else if a.gpus % (a.tp * a.pp * a.ep) != 0 then refuse(
  str(a.gpus) + " GPUs are no multiple of tp x pp x ep, " + str(a.tp * a.pp * a.ep),
) else div(a.gpus, a.tp * a.pp * a.ep)
fn _global(a: HfArguments) -> Int = if a.global_batch > 0 then a.global_batch else a.micro_batch * _replicas(a) * a.ep

fn hf_run(a: HfArguments) -> Record = _run(a, hf(a.config, a.seq, mtp: a.mtp, text: a.text), machine_named(a.gpu), _profile(a.framework))
fn _run(a: HfArguments, model: Model, machine: Machine, framework: Framework) -> Record = {
  arguments: a,
  framework: framework,
  machine: machine,
  model: model,
  cluster: machine.cluster(a.gpus),
  experts: hf_sparse(a.config, a.text),
  tp: a.tp,
  ep: a.ep,
  dp: _replicas(a),
  pp: a.pp,
  batch: { micro: a.micro_batch * a.ep, global: _global(a) },
  micro_batches: div(_global(a), a.micro_batch * a.ep * _replicas(a)),
  precision: framework_precision(framework),
  optimizer: framework_optimizer(framework),
  costs: machine_costs(machine, "bf16", framework.attention),
  network: machine.network,
  host: framework_host(framework),
}

fn hf_strategies(run: Record, tp: Axis, ep: Axis, dp: Axis, pp: Axis) -> List = [
  framework_tensor(run.framework, tp, run.machine.costs.slows),
  framework_data(run.framework, ep * dp, run.arguments.sharding, pp.size),
  framework_loss(run.framework),
  framework_recompute(run.arguments.recompute),
] + (if run.experts and tp.size * ep.size > 1 then _experts(run, tp, ep) else [])
fn _experts(run: Record, tp: Axis, ep: Axis) -> List = [
  expert_parallel(tp * ep, batch: ep),
  framework_sorting("all_to_all", tp * ep),
  framework_experts(run.framework.experts, tp * ep, "none", "bf16"),
]

// What `trainspec import hf` reads: the configuration is the word, fields of `arguments` are followed.
let command_line = {
  about: "A model of Hugging Face's, by its configuration: `trainspec import hf` wrote it.",
  arguments: "HfArguments",
  gpu: "h100",
  words: ["config"],
  plan: [
    "let run = hf_run(arguments)",
    "",
    "plan training {",
    "  framework = run.framework",
    "  model = run.model",
    "  cluster = run.cluster",
    "  mesh = { tp: run.tp, ep: run.ep, dp: run.dp, pp: run.pp }",
    "  apply = hf_strategies(run, tp, ep, dp, pp)",
    "  schedule = one_f_one_b(p: pp, m: run.micro_batches, balanced: run.framework.balanced)",
    "  batch = run.batch",
    "  precision = run.precision",
    "  optimizer = run.optimizer",
    "  costs = run.costs",
    "  network = run.network",
    "  host = run.host",
    "}",
  ],
}
