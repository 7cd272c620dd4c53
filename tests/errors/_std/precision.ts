fn mixed(compute: DType = bf16, gradients: DType = fp32, accumulate: Size = 0 B) = {
  compute: compute,
  weights: compute,
  gradients: gradients,
  accumulate: accumulate,
}
