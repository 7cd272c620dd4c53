op twice(x: Tensor) {
  output y: x.shape
  forward { flops = 1 }
  backward(input) { flops = 2 }
  forward { kernel a { flops = 1 } kernel b { flops = 2 } }
  backward(input) { flops = 3 }
}

gpu worker { memory = 1 GiB, bandwidth = 1 TB/s, peak = { bf16: 1 TFLOP/s } }

cluster one() { device rank[1]: worker }

model m() { yield twice(input([1], bf16)) as all }

plan p {
  model = m()
  cluster = one()
  costs = [roofline(worker)]
}
