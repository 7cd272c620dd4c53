import std.gpus.nvidia, std.models.gpt, std.strategies.data, std.costs.sources

// Two ports a NIC; leaves are joined in pairs, and pairs by slower links of the same two arrays.
cluster ports(nic: Rate, slow: Rate) {
  device gpu[4, 2]: h100_sxm
  switch near[4], leaf[4, 2]
  for n in 0..4, g in 0..2 {
    link gpu[n, g] <-> near[n] { bandwidth = 450 GB/s, latency = 1 us, tier = 0 }
    for p in 0..2 {
      link gpu[n, g] <-> leaf[n, p] { bandwidth = nic / 2, latency = 2 us, tier = 1 }
    }
  }
  for n in 0..2, p in 0..2 {
    link leaf[2 * n, p] <-> leaf[2 * n + 1, p] { bandwidth = 400 GB/s, latency = 1 us, tier = 2 }
  }
  for a in 0..2, b in 2..4, p in 0..2 {
    link leaf[a, p] <-> leaf[b, p] { bandwidth = slow, latency = 1 us, tier = 3 }
  }
}

plan nics(nic: Rate = 400 Gb/s, slow: Rate = 5 GB/s, broken: Bool = false) {
  model = gpt(layers: 2, hidden: 1024, heads: 8, vocab: 1024, seq: 128)
  cluster = if broken then ports(nic, slow) with { link gpu[3, 1] <-> leaf[3, 0] { bandwidth = 1 GB/s } } else ports(nic, slow)
  mesh = { dp: 8 }
  apply = [data_parallel(dp)]
  batch = { micro: 1, global: 8 }
  costs = [roofline(h100_sxm)]
}
