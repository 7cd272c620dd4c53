// GeForce boards of NVIDIA. Rates are dense; products of 16 and 8 bits are those that sum in fp32, at
// half of the rate that sums in fp16: training sums in fp32.

import std.costs.power (idle)

gpu rtx_4090 source "NVIDIA Ada GPU architecture whitepaper v2.1 (2023)" {
  memory = 24564 MiB
  reserved = 0.45 GiB
  bandwidth = 1008 GB/s
  peak = { fp32: 82.6 TFLOP/s, tf32: 82.6 TFLOP/s, fp16: 165.2 TFLOP/s, bf16: 165.2 TFLOP/s, fp8: 330.3 TFLOP/s }
  sms = 128
  l2 = 72 MiB
  watts = 450 W
  idle_watts = idle * 450 W
  called = ["*GeForce RTX 4090"]
}

gpu rtx_5090 source "NVIDIA RTX Blackwell GPU architecture whitepaper (2025)" {
  memory = 32607 MiB
  reserved = 0.5 GiB
  bandwidth = 1792 GB/s
  peak = { fp32: 104.8 TFLOP/s, tf32: 104.8 TFLOP/s, fp16: 209.5 TFLOP/s, bf16: 209.5 TFLOP/s, fp8: 419 TFLOP/s, fp4: 1676 TFLOP/s }
  sms = 170
  l2 = 96 MiB
  watts = 575 W
  idle_watts = idle * 575 W
  called = ["*GeForce RTX 5090"]
}
