import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data

strategy mine() {
  rule all {
    match *
    offload(activations, at: 50 GB)
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2, dp: 2 }
  apply = [mine()]
  costs = [roofline(a100_sxm_80g)]
}
