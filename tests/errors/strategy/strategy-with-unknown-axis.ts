import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2, dp: 2 }
  apply = [data_parallel(dp) with {
    rule gradients {
      match *
      after gradients: all_reduce(gradients, over: 2)
    }
  }]
  costs = [roofline(a100_sxm_80g)]
}
