import std.models.gpt, std.clusters.dgx, std.schedules.interleaved

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = interleaved_one_f_one_b(p: pp, m: 8)
  costs = [roofline(a100_sxm_80g)]
}
