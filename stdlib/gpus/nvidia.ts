// GPUs of NVIDIA. Peak rates are dense (no sparsity), of the tensor cores where the type has them.
// `memory` is what the driver reports as the board's total (nvidia-smi, MiB); `reserved` is taken
// by the CUDA context and the libraries' handles before a framework allocates anything. `watts` is
// the limit of the board, `idle_watts` and `host_watts` are of std.costs.power; prices change, so a plan
// states its own, or one of std.costs.prices: `h100_sxm with { price = $2.50/h }`. `sms` and `l2` are for kernel models. `called`: the names
// under which measurements that hold for it are filed, the driver's among them; those of the A100
// and H100 hold for the A800 and H800, which differ in their links alone.
//
// Newer boards are in std.gpus.blackwell, variants of the H100 in std.gpus.hopper, GeForce in
// std.gpus.geforce. The A800 and H800
// are the A100 and H100 with NVLink at 400 GB/s in both directions together (NVIDIA product pages of
// 2022 and 2023).

import std.costs.power (idle, host)

gpu v100_sxm_32g source "NVIDIA Tesla V100 data sheet (2020)" {
  memory = 32510 MiB
  reserved = 0.45 GiB
  bandwidth = 900 GB/s
  peak = { fp32: 15.7 TFLOP/s, tf32: 15.7 TFLOP/s, fp16: 125 TFLOP/s, bf16: 15.7 TFLOP/s }
  sms = 80
  l2 = 6 MiB
  watts = 300 W
  idle_watts = idle * 300 W
  host_watts = host(3.5 kW, 8, 300 W) source "DGX-1 data sheet, the whole machine"
  called = ["v100_sxm*", "*V100-SXM2*"]
}

gpu v100_pcie_32g = v100_sxm_32g with {
  peak = { fp32: 14 TFLOP/s, tf32: 14 TFLOP/s, fp16: 112 TFLOP/s, bf16: 14 TFLOP/s }
  watts = 250 W
  idle_watts = idle * 250 W
  host_watts = 0 W
  called = ["v100_pcie*", "*V100-PCIE*"]
} source "NVIDIA Tesla V100 data sheet (2020)"

gpu a100_sxm_40g = a100_sxm_80g with {
  memory = 40536 MiB
  bandwidth = 1555 GB/s
  called = ["a100_sxm", "*A100-SXM4-40GB"]
} source "NVIDIA A100 data sheet (2021) and GA100 whitepaper"

gpu a100_sxm_80g source "NVIDIA A100 data sheet (2021) and GA100 whitepaper" {
  memory = 81251 MiB
  reserved = 0.5 GiB
  bandwidth = 2039 GB/s
  peak = { fp32: 19.5 TFLOP/s, tf32: 156 TFLOP/s, fp16: 312 TFLOP/s, bf16: 312 TFLOP/s }
  sms = 108
  l2 = 40 MiB
  watts = 400 W
  idle_watts = idle * 400 W
  host_watts = host(6.5 kW, 8, 400 W) source "DGX A100 data sheet, the whole machine"
  called = ["a100", "a100_sxm", "*A100-SXM4-80GB"]
}

gpu a100_pcie_80g = a100_sxm_80g with {
  bandwidth = 1935 GB/s
  watts = 300 W
  idle_watts = idle * 300 W
  host_watts = 0 W
  called = ["a100_pcie", "a100_pcie_80", "*A100 80GB PCIe"]
} source "NVIDIA A100 data sheet (2021) and GA100 whitepaper"

gpu a800_sxm_80g = a100_sxm_80g with {
  called = ["a800_sxm", "*A800-SXM4-80GB", "a100_sxm", "a100_sxm_80g", "*A100-SXM4-80GB"]
} source "NVIDIA A100 data sheet (2021) and GA100 whitepaper"

gpu a40 source "NVIDIA A40 data sheet (2021)" {
  memory = 46068 MiB
  reserved = 0.45 GiB
  bandwidth = 696 GB/s
  peak = { fp32: 37.4 TFLOP/s, tf32: 74.8 TFLOP/s, fp16: 149.7 TFLOP/s, bf16: 149.7 TFLOP/s }
  sms = 84
  l2 = 6 MiB
  watts = 300 W
  idle_watts = idle * 300 W
  called = ["*NVIDIA A40"]
}

gpu a10g source "AWS EC2 G5 documentation and NVIDIA A10G data sheet (2021)" {
  memory = 23028 MiB
  reserved = 0.45 GiB
  bandwidth = 600 GB/s
  peak = { fp32: 31.5 TFLOP/s, tf32: 35 TFLOP/s, fp16: 70 TFLOP/s, bf16: 70 TFLOP/s }
  sms = 80
  l2 = 6 MiB
  watts = 300 W
  idle_watts = idle * 300 W
  called = ["*NVIDIA A10G"]
}

gpu l4 source "NVIDIA L4 data sheet (2023)" {
  memory = 23034 MiB
  reserved = 0.45 GiB
  bandwidth = 300 GB/s
  peak = { fp32: 30.3 TFLOP/s, tf32: 60 TFLOP/s, fp16: 121 TFLOP/s, bf16: 121 TFLOP/s, fp8: 242 TFLOP/s }
  sms = 58
  l2 = 48 MiB
  watts = 72 W
  idle_watts = idle * 72 W
  called = ["*NVIDIA L4"]
}

gpu h100_sxm source "NVIDIA H100 data sheet (2023) and GH100 whitepaper v1.04" {
  memory = 81559 MiB
  reserved = 0.6 GiB
  bandwidth = 3350 GB/s
  peak = { fp32: 66.9 TFLOP/s, tf32: 494.7 TFLOP/s, fp16: 989.4 TFLOP/s, bf16: 989.4 TFLOP/s, fp8: 1978.9 TFLOP/s }
  sms = 132
  l2 = 50 MiB
  watts = 700 W
  idle_watts = idle * 700 W
  host_watts = host(10.2 kW, 8, 700 W) source "DGX H100 data sheet, the whole machine"
  called = ["h100", "h100_sxm_80g", "*H100 80GB HBM3", "h800_sxm", "*NVIDIA H800"]
}

gpu h800_sxm = h100_sxm with {
  called = ["*NVIDIA H800", "h100_sxm", "h100_sxm_80g", "*H100 80GB HBM3"]
} source "NVIDIA H100 data sheet (2023) and GH100 whitepaper v1.04"

gpu h200_sxm = h100_sxm with {
  memory = 143771 MiB
  bandwidth = 4800 GB/s
  called = ["h200", "*NVIDIA H200"]
} source "NVIDIA H200 data sheet (2024)"

gpu b200_sxm source "NVIDIA DGX B200 data sheet (2024), one GPU of eight" {
  memory = 183359 MiB
  reserved = 0.7 GiB
  bandwidth = 8000 GB/s
  peak = { fp32: 75 TFLOP/s, tf32: 1125 TFLOP/s, fp16: 2250 TFLOP/s, bf16: 2250 TFLOP/s, fp8: 4500 TFLOP/s, fp4: 9000 TFLOP/s }
  sms = 148
  l2 = 126 MiB
  watts = 1000 W
  idle_watts = idle * 1000 W
  host_watts = host(14.3 kW, 8, 1000 W) source "DGX B200 data sheet, the whole machine"
  called = ["b200", "*NVIDIA B200"]
}
