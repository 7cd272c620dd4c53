import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.interleaved

schedule turns() {
  stages 1
  at 0 {
    for i in 0..9223372036854775807 {}
  }
}

schedule waits() {
  stages 1
  at 0 { F(0) B(0) }
  depend F(i) at r on B(i) at v for v in 0..9223372036854775807 where false
}

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  schedule = turns()
}
