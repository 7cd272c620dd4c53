// Accelerators of AMD. Rates are dense. `watts` is the limit of the board, for functions of plans to
// ask.
//
// An MI250X is two devices of a job, its two dies: `mi250x` is one of them.
//
// The MI350X and MI355X have no units for tf32 any more: what asks for it runs in fp32.

gpu mi250x source "AMD Instinct MI250X data sheet (2021), a half" {
  memory = 65520 MiB
  reserved = 0.8 GiB
  bandwidth = 1638 GB/s
  peak = { fp32: 47.9 TFLOP/s, tf32: 47.9 TFLOP/s, fp16: 191.5 TFLOP/s, bf16: 191.5 TFLOP/s }
  sms = 110
  l2 = 8 MiB
  watts = 280 W
  called = ["*MI250X*"]
}

gpu mi300x source "AMD Instinct MI300X data sheet" {
  memory = 196592 MiB
  reserved = 0.8 GiB
  bandwidth = 5300 GB/s
  peak = { fp32: 163.4 TFLOP/s, tf32: 653.7 TFLOP/s, fp16: 1307.4 TFLOP/s, bf16: 1307.4 TFLOP/s, fp8: 2614.9 TFLOP/s }
  sms = 304
  l2 = 256 MiB
  watts = 750 W
  called = ["*MI300X*"]
}

gpu mi325x = mi300x with {
  memory = 262128 MiB
  bandwidth = 6000 GB/s
  watts = 1000 W
  called = ["*MI325X*"]
} source "AMD Instinct MI325X data sheet"

gpu mi350x source "AMD Instinct MI350X data sheet" {
  memory = 294896 MiB
  reserved = 0.8 GiB
  bandwidth = 8000 GB/s
  peak = { fp32: 144.2 TFLOP/s, tf32: 144.2 TFLOP/s, fp16: 2306.9 TFLOP/s, bf16: 2306.9 TFLOP/s, fp8: 4613.7 TFLOP/s, fp4: 9227 TFLOP/s }
  sms = 256
  l2 = 256 MiB
  watts = 1000 W
  called = ["*MI350X*"]
}

gpu mi355x = mi350x with {
  peak = { fp32: 157.3 TFLOP/s, tf32: 157.3 TFLOP/s, fp16: 2516.6 TFLOP/s, bf16: 2516.6 TFLOP/s, fp8: 5033.2 TFLOP/s, fp4: 10066 TFLOP/s }
  watts = 1400 W
  called = ["*MI355X*"]
} source "AMD Instinct MI355X data sheet"
