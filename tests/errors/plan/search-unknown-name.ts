import std.models.gpt, std.clusters.dgx, std.strategies.megatron

plan small(tp: Int = 2, micro: Int = 1) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp }
  apply = [tensor_parallel(tp)]
  batch = { micro: micro }
  costs = [roofline(a100_sxm_80g)]
}

// A search that names what neither the plan nor a played step has.
search s of small {
  vary tp in [1, 2]
  require tp <= heads, "heads are split evenly"
  minimize step_tim
}
