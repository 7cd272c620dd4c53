import std.models.gpt, std.clusters.dgx

gpu known {
  memory = 80 GiB
  bandwidth = 2 TB/s
  peak = { fp32: 20 TFLOP/s, bf16: 300 TFLOP/s }
  called = ["*A100-SXM4-80GB", "a100*"]
}

cluster one() {
  device d[1]: known
}

plan of_another {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = one()
  costs = [table("_of_h100.csv"), roofline(known)]
}
