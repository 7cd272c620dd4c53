import std.models.llama, std.clusters.dgx, std.strategies.data

strategy mine(d: Axis) {
  rule parts {
    match *
    shard(parameters, over: d)
    shard(optimizer, over: d)
    after gradients: reduce_scatter(gradients, over: d)
  }
}

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { dp: 4 }
  apply = [mine(dp)]
  costs = [roofline(h100_sxm)]
}
