import std.models.gpt, std.clusters.dgx

strategy average(d: Axis) {
  rule average {
    match *
    after gradients: all_reduce(gradients, over: d)
    before forward: all_gather(parameters, over: d, bucket: 1 MiB, first: 1 MiB)
  }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [average(dp)]
  costs = [roofline(a100_sxm_80g)]
}
