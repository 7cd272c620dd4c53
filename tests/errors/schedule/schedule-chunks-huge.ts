import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.interleaved

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  mesh = { pp: 2 }
  schedule = interleaved_one_f_one_b(p: pp, m: 4, v: 9223372036854775807)
}
