// Llama 3 8B on 16 devices of a machine, as a framework runs it.
import std.models.llama, std.machines, std.frameworks.profile, std.frameworks.nvidia, std.frameworks.torch, std.frameworks.maxtext
import std.optimizers.adam

plan machines(machine: Record, framework: Framework, recipe: String, tp: Int = 2, dp: Int = 8) {
  model = llama3_8b(8192)
  cluster = machine.cluster(16)
  mesh = { tp, dp }
  apply = [
    framework_tensor(framework, tp, 1),
    framework_data(framework, dp, framework.sharding),
    framework_products(recipe),
    framework_turned(machine, recipe),
    framework_loss(framework),
  ]
  batch = { micro: 1, global: 32 }
  precision = framework_precision(framework)
  optimizer = adam()
  costs = machine_costs(machine, recipe, framework.attention)
  network = machine.network
  host = framework_host(framework)
}
