import std.models.gpt, std.clusters.dgx, std.strategies.data

strategy mine(d: Axis) {
  rule all {
    match linear
    before forward: all_gather(x, dim: 1, over: d, copied: true)
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 2 }
  apply = [mine(dp)]
  costs = [roofline(a100_sxm_80g)]
}
