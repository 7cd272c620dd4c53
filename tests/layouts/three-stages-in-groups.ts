import std.models.gpt, std.clusters.dgx, std.schedules.interleaved

plan small(pp: Int = 3) {
  model = gpt(layers: 12, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp }
  schedule = interleaved_one_f_one_b(p: pp, m: 32, v: 2)
  batch = { micro: 1 }
  costs = [roofline(a100_sxm_80g)]
}
