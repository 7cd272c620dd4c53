import std.models.gpt, std.clusters.dgx, std.strategies.megatron

plan small(tp: Int = 2, micro: Int = 1) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp }
  apply = [tensor_parallel(tp)]
  batch = { micro: micro }
  costs = [roofline(a100_sxm_80g)]
}

search s of small {
  vary tp in [1, 2]
}

search s of small {
  vary micro in [1, 2]
}
