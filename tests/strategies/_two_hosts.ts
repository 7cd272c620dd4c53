import std.models.gpt, std.clusters.dgx, std.strategies.offload, std.optimizers.adam

plan two_hosts(quick: Rate = 50 GB/s, slow_one: Rate = 5 GB/s) {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1024, seq: 128)
  cluster = dgx_a100(nodes: 1)
  apply = [
    offload_optimizer(link: quick),
    offload_optimizer(link: slow_one) with {
      rule state {
        match * as "layer[1]"
        offload(optimizer, at: slow_one, bucket: 16 MiB)
      }
    },
  ]
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}
