import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 2, pp: 4 }
  schedule = one_f_one_b(p: tp, m: 8)
  costs = [roofline(a100_sxm_80g)]
}
