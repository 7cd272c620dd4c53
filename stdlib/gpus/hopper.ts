// Boards with the H100's processor that differ from its usual SXM module. Rates as in
// std.gpus.nvidia: dense, of one direction. `watts` is the limit of the board.

import std.gpus.nvidia (h100_sxm, h200_sxm)
import std.costs.power (idle, host)

gpu h100_96g_500w = h100_sxm with {
  memory = 97871 MiB
  bandwidth = 2400 GB/s
  watts = 500 W
  idle_watts = idle * 500 W
  called = ["h100_96g*"]
} source "pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md: 96 GB of HBM2e at 2.4 TB/s and 500 W"

gpu gh200 = h100_sxm with {
  memory = 97871 MiB
  bandwidth = 4000 GB/s
  called = ["*GH200*"]
} source "NVIDIA GH200 data sheet (2023), 96 GB"

gpu h20_sxm source "figures quoted by resellers and by DeepSeek's and Tencent's reports; NVIDIA publishes no data sheet" {
  memory = 97871 MiB
  reserved = 0.6 GiB
  bandwidth = 4000 GB/s
  peak = { fp32: 44 TFLOP/s, tf32: 74 TFLOP/s, fp16: 148 TFLOP/s, bf16: 148 TFLOP/s, fp8: 296 TFLOP/s }
  sms = 78
  l2 = 60 MiB
  watts = 500 W
  idle_watts = idle * 500 W
  host_watts = host(10.2 kW, 8, 700 W)
  called = ["h20", "*NVIDIA H20"]
}

gpu h200_nvl = h200_sxm with {
  peak = { fp32: 60 TFLOP/s, tf32: 417.5 TFLOP/s, fp16: 835.5 TFLOP/s, bf16: 835.5 TFLOP/s, fp8: 1670.5 TFLOP/s }
  watts = 600 W
  idle_watts = idle * 600 W
  host_watts = 0 W
  called = ["*H200 NVL"]
} source "NVIDIA H200 data sheet (2024), on PCIe"

gpu h100_nvl = h100_sxm with {
  memory = 95830 MiB
  bandwidth = 3938 GB/s
  peak = { fp32: 60 TFLOP/s, tf32: 417.5 TFLOP/s, fp16: 835.5 TFLOP/s, bf16: 835.5 TFLOP/s, fp8: 1670.5 TFLOP/s }
  watts = 400 W
  idle_watts = idle * 400 W
  host_watts = 0 W
  called = ["*H100 NVL"]
} source "NVIDIA H100 NVL data sheet (2024), on PCIe"

gpu h100_pcie = h100_sxm with {
  bandwidth = 2039 GB/s
  peak = { fp32: 51.2 TFLOP/s, tf32: 378 TFLOP/s, fp16: 756 TFLOP/s, bf16: 756 TFLOP/s, fp8: 1513 TFLOP/s }
  sms = 114
  watts = 350 W
  idle_watts = idle * 350 W
  host_watts = 0 W
  called = ["*H100 PCIe"]
} source "NVIDIA H100 data sheet (2023) and GH100 whitepaper v1.04, on PCIe"
