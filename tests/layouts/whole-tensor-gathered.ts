import std.models.llama, std.clusters.dgx, std.strategies.context, std.strategies.data

strategy mine(c: Axis) {
  rule tokens {
    match embedding
    split ids dim 1 over c
  }
  rule all {
    match attention
    before forward: all_gather(qkv, dim: 1, over: c)
  }
}

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { cp: 2 }
  apply = [mine(cp), data_parallel(cp)]
  costs = [roofline(h100_sxm)]
}
