// GPUs of NVIDIA's Blackwell generation, and the L40S of the one before. Rates as in
// std.gpus.nvidia: dense, of one direction; power as there.

import std.gpus.nvidia (b200_sxm)
import std.costs.power (idle, host)

gpu gb200 = b200_sxm with {
  memory = 189471 MiB
  peak = { fp32: 80 TFLOP/s, tf32: 1250 TFLOP/s, fp16: 2500 TFLOP/s, bf16: 2500 TFLOP/s, fp8: 5000 TFLOP/s, fp4: 10000 TFLOP/s }
  watts = 1200 W
  idle_watts = idle * 1200 W
  host_watts = host(120 kW, 72, 1200 W) source "GB200 NVL72 data sheet, the whole machine"
  called = ["*NVIDIA GB200"]
} source "NVIDIA GB200 NVL72 data sheet (2024), a 72nd of the rack"

gpu gb300 = gb200 with {
  memory = 284208 MiB
  peak = gb200.peak with { fp4 = 15000 TFLOP/s }
  watts = 1400 W
  idle_watts = idle * 1400 W
  host_watts = host(132 kW, 72, 1400 W) source "GB300 NVL72 data sheet, the whole machine"
  called = ["*NVIDIA GB300"]
} source "NVIDIA GB300 NVL72 data sheet (2025), a 72nd of the rack"

gpu b300_sxm = b200_sxm with {
  memory = 275040 MiB
  bandwidth = 7750 GB/s
  peak = b200_sxm.peak with { fp4 = 13500 TFLOP/s }
  watts = 1100 W
  idle_watts = idle * 1100 W
  host_watts = host(14 kW, 8, 1100 W) source "DGX B300 data sheet, the whole machine"
  called = ["b300", "*NVIDIA B300"]
} source "NVIDIA DGX B300 data sheet (2025), an eighth"

gpu rtx_pro_6000_server source "NVIDIA RTX PRO 6000 Blackwell server edition data sheet (2025)" {
  memory = 97887 MiB
  reserved = 0.6 GiB
  bandwidth = 1597 GB/s
  peak = { fp32: 117 TFLOP/s, tf32: 234 TFLOP/s, fp16: 467.8 TFLOP/s, bf16: 467.8 TFLOP/s, fp8: 935.6 TFLOP/s, fp4: 1871 TFLOP/s }
  sms = 188
  l2 = 128 MiB
  watts = 600 W
  idle_watts = idle * 600 W
  called = ["*RTX PRO 6000*"]
}

gpu l40s source "NVIDIA L40S data sheet (2023)" {
  memory = 46068 MiB
  reserved = 0.45 GiB
  bandwidth = 864 GB/s
  peak = { fp32: 91.6 TFLOP/s, tf32: 183 TFLOP/s, fp16: 362 TFLOP/s, bf16: 362 TFLOP/s, fp8: 733 TFLOP/s }
  sms = 142
  l2 = 96 MiB
  watts = 350 W
  idle_watts = idle * 350 W
  called = ["*NVIDIA L40S"]
}
