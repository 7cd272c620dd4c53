import std.models.gpt, std.clusters.dgx, std.schedules.local_sgd

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 1 }
  schedule = local_sgd(m: 2, steps: 3)
  costs = [roofline(a100_sxm_80g)]
}
