// Accelerators of Intel: 24 ports, of which 21 stay in the node, of 100 Gb/s on Gaudi 2 and of 200
// on Gaudi 3. Its papers state no rate of tf32: what asks for it is taken to run in fp32, which on
// Gaudi 3 is taken to have the share of bf16's rate that it has on Gaudi 2, an eighth.

gpu gaudi2 source "Intel Gaudi 2 white paper (2023) and its documentation of performance" {
  memory = 96 GiB
  reserved = 0.5 GiB
  bandwidth = 2450 GB/s
  peak = { fp32: 54 TFLOP/s, tf32: 54 TFLOP/s, bf16: 432 TFLOP/s, fp8: 865 TFLOP/s }
  watts = 600 W
  called = ["*Gaudi2*", "*Gaudi 2*"]
}

gpu gaudi3 source "Intel, Gaudi 3 AI accelerator, Hot Chips 2024" {
  memory = 128 GiB
  reserved = 0.5 GiB
  bandwidth = 3670 GB/s
  peak = { fp32: 229 TFLOP/s, tf32: 229 TFLOP/s, bf16: 1835 TFLOP/s, fp8: 1835 TFLOP/s }
  watts = 900 W
  called = ["*Gaudi3*", "*Gaudi 3*"]
}
