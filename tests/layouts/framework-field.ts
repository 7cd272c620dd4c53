// A profile has the fields of its type, and no other.
import std.models.llama, std.machines, std.frameworks.profile, std.frameworks.torch, std.optimizers.adam

let faster = torchtitan with { atention = "cudnn", bucket = 3 MiB }

plan mine(tp: Int = 2, dp: Int = 4) {
  model = llama3_8b(8192)
  cluster = machine_h100.cluster(8)
  mesh = { tp, dp }
  apply = [framework_tensor(faster, tp, 1), framework_data(faster, dp, faster.sharding), framework_loss(faster)]
  costs = machine_costs(machine_h100)
}
