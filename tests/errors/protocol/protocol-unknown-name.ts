import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b

protocol mine {
  depend late: F(i) at s on F(i - depth) at s - 1
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = one_f_one_b(p: pp, m: 4)
  protocols = mine
  costs = [roofline(a100_sxm_80g)]
}
