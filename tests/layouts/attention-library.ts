// FlashAttention 3 runs on Hopper alone.
import std.models.llama, std.machines, std.frameworks.profile, std.frameworks.nvidia, std.optimizers.adam

let newer = megatron_core with { attention = "flash3" }

plan mine(tp: Int = 2, dp: Int = 4) {
  model = llama3_8b(8192)
  cluster = machine_b200.cluster(8)
  mesh = { tp, dp }
  apply = [framework_tensor(newer, tp, 1), framework_data(newer, dp, newer.sharding), framework_loss(newer)]
  costs = machine_costs(machine_b200, "bf16", newer.attention)
}
