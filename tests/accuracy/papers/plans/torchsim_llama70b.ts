// TorchSim's tables 17, 18, 20, 21 and 4: Llama 3.1 70B in torchtitan of 2024 on nodes of 4 H100.
import std.models.llama, std.machines, std.frameworks.profile, std.frameworks.torch, std.clusters.dgx, std.networks
import std.strategies.megatron, std.strategies.recompute

plan torchsim_llama70b(
  gpus: Int,
  tp: Int,
  micro: Int,
  seq: Int,
  ac: String,
  nic: Rate,
  dp: Int = div(gpus, tp),
  f: Framework = torchtitan_2024,
) {
  model = llama3_70b(seq, apart: tp == 1)
  framework = f
  cluster = nvswitch_nodes(div(gpus, 4), kind: h100_sxm, gpus: 4, nvlink: 450 GB/s, nic: nic)
  mesh = { tp, dp }
  apply = [
    framework_tensor(f, tp, machine_h100.costs.slows),
    if tp > 1 then dtensor_embedding(tp) else none,
    framework_data(f, dp, f.sharding),
    framework_loss(f),
    framework_recompute(ac),
  ]
  batch = { micro: micro, global: micro * dp }
  precision = framework_precision(f)
  optimizer = framework_optimizer(f)
  costs = machine_costs(machine_h100, "bf16", f.attention)
  network = h100_infiniband
  host = framework_host(f)
  memory = { cublas: 64 MiB }
}
