op twice(x: Tensor) {
  weight w: [8]
  output y: x.shape
  output y: x.shape
  output w: x.shape
  weight x: [8]
  forward { flops = 1 }
}

gpu worker { memory = 1 GiB, bandwidth = 1 TB/s, peak = { bf16: 1 TFLOP/s } }

cluster one() { device rank[1]: worker }

model m() { yield twice(input([1], bf16)) as all }

plan p {
  model = m()
  cluster = one()
  costs = [roofline(worker)]
}
