import std.models.gpt, std.clusters.dgx

strategy mine(t: Axis) {
  rule up {
    match linear as "*.mlp.up"
    split w dim 0, b dim 0, y dim -1 over t
    after forward: all_reduce(y, over: t)
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2 }
  apply = [mine(tp)]
  costs = [roofline(a100_sxm_80g)]
}
