// TPUs of Google. `fp8` is the rate in 8 bits, which v5e, v5p and v6e have for int8 alone: their
// trainings in 8 bits are in int8 (AQT). TPUs have no tf32: what asks for it runs in fp32. Google
// publishes no power: there is no `watts`.
//
// The sources are of 2023 to 2025. Links of one direction: a chip has 4 (v5e, v6e) or 6 (v5p, TPU7x) of
// them; their rates are in std.clusters.tpu.

gpu tpu_v5e source "Google Cloud documentation, system architecture of TPU v5e" {
  memory = 16 GiB
  reserved = 0.3 GiB
  bandwidth = 819 GB/s
  peak = { fp32: 49 TFLOP/s, tf32: 49 TFLOP/s, bf16: 197 TFLOP/s, fp8: 394 TFLOP/s, int8: 394 TFLOP/s }
}

gpu tpu_v5p source "Google Cloud documentation, system architecture of TPU v5p" {
  memory = 95 GiB
  reserved = 0.3 GiB
  bandwidth = 2765 GB/s
  peak = { fp32: 115 TFLOP/s, tf32: 115 TFLOP/s, bf16: 459 TFLOP/s, fp8: 918 TFLOP/s, int8: 918 TFLOP/s }
}

gpu tpu_v6e source "Google Cloud documentation, system architecture of TPU v6e (Trillium)" {
  memory = 32 GiB
  reserved = 0.3 GiB
  bandwidth = 1640 GB/s
  peak = { fp32: 230 TFLOP/s, tf32: 230 TFLOP/s, bf16: 918 TFLOP/s, fp8: 1836 TFLOP/s, int8: 1836 TFLOP/s }
}

gpu tpu_7x source "Google Cloud documentation, system architecture of TPU7x (Ironwood)" {
  memory = 192 GiB
  reserved = 0.3 GiB
  bandwidth = 7380 GB/s
  peak = { fp32: 577 TFLOP/s, tf32: 577 TFLOP/s, bf16: 2307 TFLOP/s, fp8: 4614 TFLOP/s }
}
