// A run of MaxText on TPUs from the columns of its table: parameters lie over `fsdp` chips of a
// slice, replicas over `data`, of which slices are the outermost. A chip is one device, also where
// it has two cores.
import std.models.llama, std.models.gpt_oss, std.models.mixtral, std.models.llama4, std.models.gemma
import std.machines, std.frameworks.profile, std.frameworks.maxtext
import std.strategies.megatron, std.strategies.context, std.strategies.data
import std.schedules.single, std.optimizers.adam

plan tpu(
  model: Model,
  machine: Record = machine_v6e,
  recipe: String = "bf16",
  chips: Int = 8,
  tp: Int = 1,
  cp: Int = 1,
  fsdp_chips: Int = 8,
  data: Int = 1,
  micro: Int = 1,
  kept: List = [],
  power: Real = machine.costs.power,
  eight: Real = machine.costs.eight,
) {
  model = model
  framework = maxtext
  cluster = machine.cluster(chips)
  mesh = { tp, cp, fsdp_chips, data }
  apply = [
    framework_tensor(maxtext, tp, machine.costs.slows),
    if cp == 1 then none else context_parallel(cp),
    if data == 1 then fsdp(cp * fsdp_chips) else hsdp(cp * fsdp_chips, data),
    framework_products(recipe),
    framework_loss(maxtext),
    maxtext_remat(kept),
  ]
  schedule = accumulate(1)
  batch = { micro: micro }
  precision = framework_precision(maxtext)
  optimizer = adam()
  costs = machine_costs(machine, recipe, "cudnn", machine.costs with { power = power, eight = eight })
  network = machine.network
  host = maxtext.host
}
