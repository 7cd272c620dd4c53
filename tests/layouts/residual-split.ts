import std.models.llama, std.clusters.dgx, std.strategies.megatron

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 2 }
  apply = [
    tensor_parallel(tp) with {
      rule row {
        match linear as "*.proj" | "*.down"
        split x dim -1, w dim 1 over t
        after forward: reduce_scatter(y, dim: -1, over: t)
      }
    },
  ]
  costs = [roofline(h100_sxm)]
}
