// Accelerators of Amazon. Rates are dense, of a whole chip: its eight cores are one device.

gpu trainium2 source "AWS Neuron documentation, architecture of Trainium2 (2025)" {
  memory = 96 GiB
  reserved = 0.5 GiB
  bandwidth = 2900 GB/s
  peak = { fp32: 181 TFLOP/s, tf32: 667 TFLOP/s, fp16: 667 TFLOP/s, bf16: 667 TFLOP/s, fp8: 1299 TFLOP/s }
  called = ["*Trainium2*"]
}
