import std.models.gpt, std.clusters.dgx, std.strategies.data, std.strategies.megatron, std.networks

plan networks_plan(network: List = nccl_hopper) {
  model = gpt(layers: 2, hidden: 1024, heads: 16, vocab: 50000, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 8, dp: 2 }
  apply = [tensor_parallel(tp), data_parallel(dp)]
  network = [statistical("std/networks/h100_sxm_curves.json", over: tp)] + network
  costs = [roofline(h100_sxm)]
}
