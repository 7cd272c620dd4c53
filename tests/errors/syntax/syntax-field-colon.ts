import std.models.gpt, std.strategies.data

gpu worker {
  memory: 80 GiB, bandwidth: 2 TB/s
  peak = { bf16: 312 TFLOP/s }
}

op twice(x: Tensor) {
  output y: x.shape
  forward { flops: 2 * numel(y), reads = [x], writes = [y] }
}

cluster pair() {
  device rank[2]: worker
  link rank[0] <-> rank[1] { bandwidth: 100 GB/s }
}

plan small {
  model: gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = pair() with { rank[1] { speed: 0.8 } }
  costs = [roofline(worker)]
}
