// A published run from the columns of its table: a model by name or by its sizes, a machine, a
// framework's profile (std.frameworks), degrees, batch, formats. What a source leaves open is as
// the profile says; where a graph holds the whole step, products of experts are one operation, as in
// Megatron-Bridge's recipes. Experts lie over ranks of tp, cp and of `ed`, a part of the replicas;
// routing is balanced and drops nothing. `first`: so many layers alone are in the recipe's format;
// 0: all.
import std.models.llama, std.models.llama_eager, std.models.gpt, std.models.mpt, std.models.nemotron, std.models.lora, std.models.qwen3,
  std.models.deepseek, std.models.llama4, std.models.mixtral, std.models.gpt_oss, std.models.grok
import std.machines, std.exchange, std.frameworks.profile, std.frameworks.nvidia, std.frameworks.torch, std.frameworks.maxtext
import std.strategies.megatron, std.strategies.context, std.strategies.experts
import std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.beside, std.optimizers.adam

// Stages of equal size where layers divide; else the first and the last are smaller, as they have
// the embedding and the head.
fn even(layers: Int, n: Int, less: Int) -> List = [
  div(layers + less, n) - (if s == n - 1 then less - div(less, 2) else if s == 0 then div(less, 2) else 0) for s in 0..n
]
fn sizes_of(layers: Int, n: Int) -> List = if n == 1 or layers % n == 0 then [] else if (layers + 1) % n == 0 then even(
  layers,
  n,
  1,
) else if (layers + 2) % n == 0 then even(layers, n, 2) else []

plan published(
  model: Model,
  machine: Record = machine_h100,
  framework: Framework = megatron_core,
  recipe: String = "bf16",
  sharding: String = framework.sharding,
  gpus: Int = 8,
  layers: Int = 1,
  tp: Int = 1,
  pp: Int = 1,
  chunks: Int = 1,
  cp: Int = 1,
  ep: Int = 1,
  etp: Int = 1,
  experts: Bool = false,
  sequence: Bool = true,
  heads: Bool = false,
  release: Real = 0,
  family: String = "",
  kind: String = "",
  choices: FrameworkChoices = framework_choices(
    framework,
    { release: release, model: family, gpu: kind, recipe: recipe, experts: experts },
  ),
  recompute: String = choices.recompute,
  first: Int = 0,
  graphs: Bool = choices.graphs,
  micro: Int = 1,
  message: Size = 0 B,
  global: Int = 8,
  top: Int = 1,
  exchange: String = choices.exchange,
  captured: String = if graphs then "step" else choices.captured,
  beside: Bool = choices.beside,
  tensor: String = choices.tensor,
  whole: Bool = experts and (choices.fused or graphs),
  again: List[String] = choices.again,
  bounded: Bool = choices.bounded,
  islands: Int = if machine.island == 0 then 1 else ceil_div(ep * etp, machine.island),
  sent: Real = exchange_share(exchange_of(exchange), ep, islands, top),
  call: Time = framework.experts.call,
  each: Time = framework.experts.each,
  narrow: Time = framework.experts.narrow,
  sort: Time = framework.experts.sort,
  replay: Time = framework.experts.replay,
  fused: Real = if whole then framework.experts.fused else 1,
  launch: Time = 0 us,
  library: String = framework.attention,
  power: Real = machine.costs.power,
  slows: Real = machine.costs.slows,
  eight: Real = machine.costs.eight,
  four: Real = machine.costs.four,
  power_eight: Real = machine.costs.power_eight,
  power_four: Real = machine.costs.power_four,
  newest: Real = machine.costs.newest,
  older: Real = machine.costs.older,
  attention: Real = machine.costs.attention,
  ed: Int = max(1, div(ep * etp, tp * cp)),
  dp: Int = div(gpus, tp * cp * pp * ed),
) {
  model = model
  framework = framework
  cluster = machine.cluster(gpus)
  mesh = { tp, cp, ed, dp, pp }
  apply = [
    if sequence then framework_tensor(framework with { tensor = tensor }, tp, slows) else tensor_parallel(tp),
    framework_context(framework, cp, heads),
    if not experts then none else if etp > 1 then [
      expert_parallel(ed, sent: sent, returned: sent),
      expert_tensor_parallel(tp),
    ] else expert_parallel(tp * cp * ed, batch: ed, sent: sent, returned: sent),
    framework_data(framework, cp * ed * dp, sharding, pp),
    if first == 0 then framework_products(recipe, current: framework.current) else [
      framework_products(recipe, "layer[" + str(i) + "]", framework.current) for i in 0..first
    ],
    framework_formats(choices),
    framework_turned(machine, recipe),
    framework_loss(framework),
    if experts then framework_sorting(exchange, ep) else none,
    if experts then framework_fusions(framework, whole) else none,
    if choices.unfused then unfused_attention() else none,
    if experts then framework_experts(
      { call, each, narrow, sort, replay },
      ep,
      captured,
      recipe,
      bounded,
    ) else none,
    if recompute == "none" then framework_modules(again) else framework_recompute(recompute),
  ]
  schedule = if beside and (pp == 1 or chunks > 1) then one_f_one_b_beside(
    p: pp,
    m: div(global, micro * ed * dp),
    v: chunks,
    sizes: sizes_of(layers, pp * chunks),
  ) else if chunks == 1 then one_f_one_b(
    p: pp,
    m: div(global, micro * ed * dp),
    sizes: sizes_of(layers, pp),
  ) else interleaved_one_f_one_b(p: pp, m: div(global, micro * ed * dp), v: chunks, sizes: sizes_of(layers, pp * chunks))
  batch = { micro: micro * ed }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = training_experts(machine.costs, fused, { power }) +
    machine_costs(machine, recipe, library, { power, eight, four, older, attention, newest, power_eight, power_four })
  network = if not experts then machine.network else if etp > 1
    then exchange_network(exchange_of(exchange), ed, ep, islands, top, link_of(kind)) + machine.network
    else exchange_network(exchange_of(exchange), tp * cp * ed, ep, islands, top, link_of(kind)) + machine.network
  host = framework_host(framework, graphs, launch)
  memory = framework_memory(framework, pp, div(global, micro * ed * dp), message)
}
