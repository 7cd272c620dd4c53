import std.models.gpt, std.gpus.nvidia, std.clusters.dgx, std.strategies.data
plan wrong(dp: Int = 8) {
  model = gpt(layers: 1, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = roofline(a100_sxm_80g)
  network = [
    packet(control: "timely", low: 2 s, high: 500 us),
    packet(high: -1 us),
    packet(cut: 2),
    packet(control: "swift", target: 2 s),
    packet(per_hop: 2 s),
    packet(scaling: 2 s),
    packet(most_cut: 2),
    packet(steady: 2),
    packet(steady: 0, step: 2),
  ]
}
