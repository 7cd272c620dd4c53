import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.interleaved

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  batch = { micro: 1, global: 9223372036854775807 }
}
