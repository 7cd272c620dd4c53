import std.models.gpt, std.clusters.dgx

gpu empty {}

gpu odd {
  memory = 10 GiB
  reserved = 20 GiB
  bandwidth = 1 TB/s
}

gpu less {
  memory = -1 GiB
  bandwidth = 0 GB/s
  peak = { bf16: -1 TFLOP/s }
}

cluster pair() {
  device d[2]: a100_sxm_80g
  link d[0] <-> d[1] { bandwidth = 1e30 GB/s, latency = 1e20 s, loss = 0.6, down = -1 s }
}

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = pair()
  costs = [roofline(a100_sxm_80g)]
}
