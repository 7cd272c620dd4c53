import std.models.gpt, std.clusters.dgx

strategy dealt(t: Axis, times: Real) {
  rule attention {
    match core_attention
    before forward: all_to_all(qkv, dim: -1, over: t, fullest: times)
    after forward: all_to_all(y, dim: 1, over: t, fullest: times)
  }
  rule gathered {
    match linear as "*.up"
    before forward: all_gather(x, dim: 1, over: t, fullest: 1.5)
  }
}

plan small {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { t: 4 }
  apply = [dealt(t, 0.5)]
  costs = [roofline(a100_sxm_80g)]
}
