import std.models.gpt, std.clusters.dgx

strategy mine(d: Axis) {
  rule own {
    match *
    shard optimizer over d
    offload activations at 50 GB/s
    recompute group "layer[*]"
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [mine(dp)]
  costs = [roofline(a100_sxm_80g)]
}
