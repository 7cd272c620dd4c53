import std.models.gpt, std.clusters.dgx

gpu mine {
  memory = 80 GiB
  bandwith = 2 TB/s
  peak = { bf16: 300 TFLOP/s }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(mine)]
}
