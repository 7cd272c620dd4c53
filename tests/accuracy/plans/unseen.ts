// A run of a program that has no profile, as a reader of the manual writes it: strategies and records
// with their defaults, an eager host, and no word of the software.
import std.models.llama, std.models.qwen3, std.machines, std.costs.hosts, std.precision, std.optimizers.adam
import std.strategies.megatron, std.strategies.context, std.strategies.data, std.strategies.recompute, std.schedules.single

plan unseen(
  name: String,
  model: Model,
  machine: Machine,
  library: String = "flash2",
  gpus: Int = 8,
  tp: Int = 1,
  cp: Int = 1,
  parts: Int = 1, // replicas that share the state of the optimizer
  sharding: String = "zero1",
  recompute: String = "none",
  micro: Int = 1,
  global: Int = 8,
  copies: Int = gpus / (tp * cp * parts),
) {
  framework = { name: name }
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, cp, parts, copies }
  apply = [
    if tp == 1 then none else tensor_sequence_parallel(tp),
    if cp == 1 then none else ulysses(cp),
    if sharding == "fsdp" then fsdp(cp * parts) else zero1(cp * parts),
    if copies == 1 then none else data_parallel(copies),
    if recompute == "full" then full() else if recompute == "selective" then full(every: 2) else none,
  ]
  schedule = accumulate(m: global / (parts * copies * micro))
  batch = { micro: micro, global: global }
  precision = mixed(bf16)
  optimizer = adam()
  costs = machine_costs(machine, "bf16", library)
  network = machine.network
  host = eager_torch
}
