import std.models.llama, std.clusters.dgx, std.strategies.megatron

strategy mine(t: Axis) {
  rule column {
    match linear as "*.down"
    split w dim 0, y dim -1 over t
    after backward(input): all_reduce(dx, over: t)
  }
  rule row {
    match linear as "*.up"
    split x dim -1, w dim 1 over t
    after forward: all_reduce(y, over: t)
  }
}

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 2 }
  apply = [mine(tp)]
  costs = [roofline(h100_sxm)]
}
