gpu a100_sxm_80g { // [A100]
  memory = 81251 MiB
  reserved = 0.5 GiB
  bandwidth = 2039 GB/s
  peak = { fp32: 19.5 TFLOP/s, tf32: 156 TFLOP/s, fp16: 312 TFLOP/s, bf16: 312 TFLOP/s }
  sms = 108
  l2 = 40 MiB
}
