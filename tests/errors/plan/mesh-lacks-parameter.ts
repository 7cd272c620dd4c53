import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b

plan small(dp: Int = 2, pp: Int = 4) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp }
  schedule = one_f_one_b(p: pp, m: 8)
  costs = [roofline(a100_sxm_80g)]
}
