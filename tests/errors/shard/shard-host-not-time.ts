import std.models.gpt, std.clusters.dgx

strategy issued() {
  rule launches {
    match linear
    set host = 3
  }
}
strategy waited() {
  rule counts {
    match embedding
    set sync = 1
  }
}

plan hosts {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1024, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [issued(), waited()]
  costs = [roofline(a100_sxm_80g)]
}
