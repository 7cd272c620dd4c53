import std.models.gpt, std.clusters.dgx

gpu other {
  memory = 80 GiB
  bandwidth = 1 TB/s
  peak = { fp32: 10 TFLOP/s }
}

plan scaled_from_another {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [scale(table("_of_h100.csv"), from: other, to: a100_sxm_80g), roofline(a100_sxm_80g)]
}
