// Plans to begin with. `trainspec init` tries them in this order, with the model and the machine that
// were asked for: of each it plays the searches, one after the other, until plans fit in memory, and
// writes the fastest of the first plan that lays the model over its ranks without a warning. A
// parameter X of the model that has a default is given as `padded_X` of it, where that is here.
import std.machines, std.frameworks.profile, std.frameworks.nvidia, std.strategies.experts, std.strategies.data
import std.strategies.offload, std.schedules.one_f_one_b, std.schedules.interleaved, std.schedules.single
import std.precision, std.optimizers.adam, std.costs.hosts

// Degrees of tensor parallelism: inside of what talks without NICs.
fn inside(machine: Machine, gpus: Int) -> List[Int] = [
  t for t in [1, 2, 4, 8] if gpus % t == 0 and t <= (if machine.island > 0 then machine.island else 8)
]
// Powers of two up to `most` that share `gpus` evenly.
fn doubled(gpus: Int, most: Int) -> List[Int] = [d for d in [1, 2, 4, 8, 16, 32, 64] if d <= most and gpus % d == 0]
// All ways to share `gpus` evenly, over at most so many ranks of a pipeline.
fn shared(gpus: Int, most: Int) -> List[Int] = [d for d in 1..most + 1 if gpus % d == 0]

// How replicas share: as the profile's `shards`, or as it was changed to.
fn shared_as(f: Framework) -> List[String] = if any([s == f.sharding for s in f.shards]) then f.shards else [f.sharding]

// Sequences at a time on each of `replicas` that share `global` sequences evenly.
fn sequences_at_once(global: Int, replicas: Int) -> List[Int] = [b for b in [1, 2, 4] if global % (replicas * b) == 0]

// 1F1B, interleaved where a rank has several stages.
fn in_stages(p: Axis, v: Int, m: Int, balanced: Bool) -> Schedule = if v > 1 then interleaved_one_f_one_b(
  p: p,
  m: m,
  v: v,
  balanced: balanced,
) else one_f_one_b(p: p, m: m, balanced: balanced)
// What lies in the host's memory: the optimizer's state, or kept activations.
fn kept_by_host(what: String) = match what {
  "none" -> none
  "optimizer" -> offload_optimizer()
  "activations" -> offload_activations()
  _ -> refuse("the host keeps none, optimizer or activations")
}

// Rows of an embedding that tensor parallelism of up to 8 divides, as Megatron-LM pads them (its
// `--make-vocab-size-divisible-by` of 128, times the degree): 51,200 for GPT's 50,257.
fn padded_vocab(vocab: Int) -> Int = 1024 * ceil_div(vocab, 1024)

// Memory that a gpu has for a plan; the rest is left for what an allocator cannot use.
fn room(machine: Machine) -> Size = 0.95 * machine.costs.kind.memory

// Assumed; change what is otherwise:
//   experts lie over `ep` of the replicas, every expert gets as many tokens, and none are dropped
//   sequences are as long as the model says; bf16 with Adam, its state divided over the replicas (ZeRO-1)
//   the software and its host are as the profile `framework` says: `trainspec list frameworks`
//   the search varies what `vary` names; parts of sequences stay
//   replicas share as runs under the profile did: its `shards`
plan start_experts(
  model: Model,
  machine: Machine,
  gpus: Int,
  framework: Framework = megatron_lm, // or another of `trainspec list frameworks`
  tp: Int = 1, // tensor parallelism
  ep: Int = 8, // expert parallelism
  pp: Int = 1, // ranks of the pipeline
  v: Int = 1, // stages of each: more than one are interleaved
  dp: Int = gpus / (tp * ep * pp), // replicas of all that is no expert: dp * ep
  micro: Int = 1, // sequences at a time on a replica
  global: Int = gpus, // sequences a step
  sharding: String = framework.sharding, // or "ddp", "zero2", "fsdp": what replicas share
  recompute: String = "none", // or "cheap", "attention", "selective", "full"
  schedule: Schedule = in_stages(pp, v, global / (ep * dp * micro), framework.balanced), // another: `trainspec list schedules`
) {
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, ep, dp, pp }
  apply = [
    framework_tensor(framework, tp, machine.costs.slows),
    expert_parallel(tp * ep, batch: ep),
    framework_data(framework, ep * dp, sharding, pp),
    framework_loss(framework),
    framework_sorting("all_to_all", tp * ep),
    framework_experts(framework.experts, tp * ep, "none", "bf16"),
    framework_recompute(recompute),
  ]
  schedule = schedule
  batch = { micro: micro * ep }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = machine_costs(machine, "bf16", framework.attention)
  network = machine.network
  host = framework_host(framework)
  framework = framework
}
search expert_degrees of start_experts {
  vary tp in inside(machine, min(gpus, 4))
  vary ep in [e for e in doubled(div(gpus, tp), 64) if tp * e >= min(gpus, 8)]
  vary pp in doubled(div(gpus, tp * ep), 16)
  vary micro in sequences_at_once(global, div(gpus, tp * pp))
  vary recompute in ["none", "cheap", "full"]
  vary v in if pp > 1 and micro == 1 and recompute == "none" then [1, 2, 4] else [1]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}
search experts_wide of start_experts {
  vary tp in inside(machine, min(gpus, 8))
  vary ep in [e for e in doubled(div(gpus, tp), 64) if tp * e >= min(gpus, 8)]
  vary pp in doubled(div(gpus, tp * ep), 16)
  vary recompute in ["attention", "full"]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}

// Assumed; change what is otherwise:
//   sequences are as long as the model says; bf16 with Adam, its state divided over the replicas (ZeRO-1)
//   the software and its host are as the profile `framework` says: `trainspec list frameworks`
//   the search varies what `vary` names; the batch, the precision and what the profile says stay
//   replicas share as runs under the profile did: its `shards`; no other way was validated under it
//   what the host keeps comes and goes at 50 GB/s a gpu; no run of it was compared
plan start_layers(
  model: Model,
  machine: Machine,
  gpus: Int,
  framework: Framework = megatron_lm, // or another of `trainspec list frameworks`
  tp: Int = 1, // tensor parallelism
  cp: Int = 1, // parts of each sequence
  pp: Int = 1, // ranks of the pipeline
  v: Int = 1, // stages of each: more than one are interleaved
  dp: Int = gpus / (tp * cp * pp), // replicas
  micro: Int = 1, // sequences at a time on a replica
  global: Int = gpus, // sequences a step
  sharding: String = framework.sharding, // or "ddp", "zero2", "fsdp": what replicas share
  recompute: String = "none", // or "cheap", "attention", "attn", "mlp", "selective", "full"
  offload: String = "none", // or "optimizer", "activations": what lies in the host's memory
  schedule: Schedule = in_stages(pp, v, global / (dp * micro), framework.balanced), // another: `trainspec list schedules`
) {
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, cp, dp, pp }
  apply = [
    framework_tensor(framework, tp, machine.costs.slows),
    framework_context(framework, cp),
    framework_data(framework, cp * dp, sharding, pp),
    framework_loss(framework),
    framework_recompute(recompute),
    kept_by_host(offload),
  ]
  schedule = schedule
  batch = { micro: micro }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = machine_costs(machine, "bf16", framework.attention)
  network = machine.network
  host = framework_host(framework)
  framework = framework
}
search layer_degrees of start_layers {
  vary tp in inside(machine, gpus)
  vary cp in doubled(div(gpus, tp), 4)
  vary pp in shared(div(gpus, tp * cp), if cp == 1 then 40 else 16)
  vary micro in if cp == 1 then sequences_at_once(global, div(gpus, tp * pp)) else [1]
  vary sharding in shared_as(framework)
  vary recompute in ["none", "cheap", "attn", "mlp", "selective", "full"]
  vary offload in if recompute == "none" and micro == 1 then ["none", "optimizer", "activations"] else ["none"]
  vary v in if pp > 1 and cp == 1 and micro == 1 and recompute == "none" then [1, 2, 4] else [1]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}
search layers_deep of start_layers {
  vary tp in [t for t in inside(machine, gpus) if t >= min(gpus, 4)]
  vary pp in shared(div(gpus, tp), 128)
  vary recompute in ["attention", "full"]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}
search layers_away of start_layers {
  vary tp in inside(machine, gpus)
  vary cp in doubled(div(gpus, tp), 4)
  vary pp in doubled(div(gpus, tp * cp), 16)
  vary sharding in if pp == 1 then ["zero1", "fsdp"] else ["zero1"]
  vary offload in ["none", "optimizer", "activations"]
  vary recompute in if offload == "activations" then ["none"] else ["full"]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}

// Assumed; change what is otherwise:
//   every gpu is a replica; bf16 with Adam; gradients are summed beside the backward
//   the host runs PyTorch eagerly: `trainspec show eager_torch`
plan start_replicas(
  model: Model,
  machine: Machine,
  gpus: Int,
  micro: Int = 32, // samples at a time on a replica
  global: Int = 32 * gpus, // samples a step
) {
  model = model
  cluster = machine.cluster(gpus)
  mesh = { dp: gpus }
  apply = [if gpus > 1 then data_parallel(dp) else none]
  schedule = accumulate(m: global / (gpus * micro))
  batch = { micro: micro }
  precision = mixed(bf16)
  optimizer = adam()
  costs = machine_costs(machine)
  network = machine.network
  host = eager_torch
}
search samples of start_replicas {
  vary micro in [32, 16, 8, 4, 2, 1]
  require peak_memory < room(machine), "memory to spare"
  minimize step_time
}
