import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.interleaved

schedule some(p: Axis, size: Size) {
  stages p
  at s in 0..p { F(0) B(0) }
  depend F(i) at s on F(i) at s - 1 sending size
}

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  mesh = { pp: 2 }
  schedule = some(p: pp, size: -1 MiB)
}
