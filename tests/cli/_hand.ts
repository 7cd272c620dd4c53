// A plan by hand under a profile, too large at most degrees.
import std.models.llama, std.models.gpt, std.models.qwen3, std.machines, std.frameworks.profile, std.frameworks.nvidia
import std.strategies.data, std.strategies.recompute, std.schedules.one_f_one_b

plan hand(
  model: Model,
  machine: Machine,
  gpus: Int,
  tp: Int = 1,
  pp: Int = 1,
  micro: Int = 1,
  dp: Int = gpus / (tp * pp),
  framework: Framework = megatron_lm,
) {
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, dp, pp }
  apply = [
    framework_tensor(framework, tp, machine.costs.slows),
    data_parallel(dp, bucket: framework.buckets(framework, dp)),
    framework_loss(framework),
  ]
  schedule = one_f_one_b(p: pp, m: gpus / (dp * micro))
  batch = { micro: micro, global: gpus }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = machine_costs(machine, "bf16", framework.attention)
  network = machine.network
  host = framework_host(framework)
  framework = framework
}
