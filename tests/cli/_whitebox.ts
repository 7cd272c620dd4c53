import std.models.gpt, std.clusters.dgx, std.strategies.data, std.networks

plan whitebox_plan(dp: Int = 16, network: List = nccl_hopper) {
  model = gpt(layers: 2, hidden: 1024, heads: 16, vocab: 50000, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { dp }
  apply = [data_parallel(dp)]
  network = network
  costs = [roofline(h100_sxm)]
}
