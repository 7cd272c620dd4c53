// Accelerators of Intel: 24 ports of 100 Gb/s, of which 21 stay in the node. Its papers state no rate of
// tf32: what asks for it is taken to run in fp32.

gpu gaudi2 source "Intel Gaudi 2 white paper (2023) and its documentation of performance" {
  memory = 96 GiB
  reserved = 0.5 GiB
  bandwidth = 2450 GB/s
  peak = { fp32: 54 TFLOP/s, tf32: 54 TFLOP/s, bf16: 432 TFLOP/s, fp8: 865 TFLOP/s }
  watts = 600 W
  called = ["*Gaudi2*", "*Gaudi 2*"]
}
