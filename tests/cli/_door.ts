// A plan by hand, whose profile decides what it does not say.
import std.models.llama, std.clusters.dgx, std.networks, std.machines, std.schedules.one_f_one_b
import std.frameworks.profile, std.frameworks.nvidia, std.optimizers.adam

plan hand(model: Model, machine: Machine = machine_h100, framework: Framework = megatron_lm, gpus: Int = 8, tp: Int = 1, pp: Int = 1, micro: Int = 1, global: Int = 8, recompute: String = "none", dp: Int = gpus / (tp * pp)) {
  framework = framework
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, dp, pp }
  apply = [framework_tensor(framework, tp, machine.costs.slows), framework_data(framework, dp, framework.sharding, pp), framework_loss(framework), framework_recompute(recompute)]
  schedule = one_f_one_b(p: pp, m: global / (dp * micro), balanced: framework.balanced)
  batch = { micro: micro, global: global }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = machine_costs(machine, "bf16", framework.attention)
  network = machine.network
  host = framework_host(framework)
}
