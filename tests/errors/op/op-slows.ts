import std.models.gpt, std.clusters.dgx

strategy split(t: Axis) {
  rule column {
    match linear as "*.qkv"
    before forward: all_gather(x, dim: 1, over: t, slows: 0.5)
  }
}

plan small(tp: Int = 2) {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp }
  apply = [split(tp)]
  costs = [roofline(a100_sxm_80g)]
}
