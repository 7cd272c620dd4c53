import std.models.llama, std.clusters.dgx, std.strategies.context, std.strategies.data

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { cp: 2 }
  apply = [
    ulysses(cp) with {
      rule heads {
        match attention
        before forward: all_to_all(qkv, dim: -1, over: c)
        split heads, kv_heads over c
        after forward: all_to_all(y, dim: 1, over: c)
      }
    },
    data_parallel(cp),
  ]
  costs = [roofline(h100_sxm)]
}
