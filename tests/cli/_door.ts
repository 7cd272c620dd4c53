// A plan by hand, whose profile decides what it does not say.
import std.models.llama, std.models.mixtral, std.clusters.dgx, std.networks, std.machines, std.schedules.one_f_one_b
import std.frameworks.profile, std.frameworks.nvidia, std.strategies.experts, std.optimizers.adam

plan hand(model: Model, machine: Machine = machine_h100, framework: Framework = megatron_lm, gpus: Int = 8, tp: Int = 1, pp: Int = 1, micro: Int = 1, global: Int = 8, recompute: String = "none", ep: Int = 1, dp: Int = gpus / (tp * ep * pp)) {
  framework = framework
  model = model
  cluster = machine.cluster(gpus)
  mesh = { tp, ep, dp, pp }
  apply = [framework_tensor(framework, tp, machine.costs.slows), framework_data(framework, ep * dp, framework.sharding, pp), framework_loss(framework), framework_recompute(recompute), if ep == 1 then none else [expert_parallel(tp * ep, batch: ep), framework_sorting("all_to_all", tp * ep), framework_experts(framework.experts, tp * ep, "none", "bf16")]]
  schedule = one_f_one_b(p: pp, m: global / (ep * dp * micro), balanced: framework.balanced)
  batch = { micro: micro * ep, global: global }
  precision = framework_precision(framework)
  optimizer = framework_optimizer(framework)
  costs = machine_costs(machine, "bf16", framework.attention)
  network = machine.network
  host = framework_host(framework)
}
