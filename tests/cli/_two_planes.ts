import std.models.gpt, std.clusters.fabrics, std.strategies.data, std.gpus.nvidia

// The same NICs on one plane of rails and on two: the same time.
plan one {
  model = gpt(layers: 1, hidden: 4096, heads: 32, vocab: 32000, seq: 128)
  cluster = rail_clos(nodes: 2, kind: h100_sxm, nvlink: 4500 GB/s, nic: 400 Gb/s)
  mesh = { dp: 16 }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = [flow(channels: 64, routing: "adaptive")]
}

plan two {
  model = gpt(layers: 1, hidden: 4096, heads: 32, vocab: 32000, seq: 128)
  cluster = dual_plane(nodes: 2, kind: h100_sxm, nvlink: 4500 GB/s, nic: 400 Gb/s)
  mesh = { dp: 16 }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
  network = [flow(channels: 64, routing: "adaptive")]
}
