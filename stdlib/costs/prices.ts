// List prices of vendors for a device and an hour, on demand, before taxes. A plan names one of them,
// or states its own:
//
//   cluster = dgx_h100(nodes: 16) with { price = lambda_2026_09.h100 }
//
// The lists below differ by a factor of two for the H100, and vendors change theirs. A list here stays
// as it was on its day: a later one gets a name of its own. Reservations are not in them.

let lambda_2026_09 = {
  b200: $6.69/h,
  h100: $3.99/h,
  a100_80g: $2.79/h,
  a100_40g: $1.99/h,
} source "lambda.ai/instances, machines of eight, read on 2026-09-20"
let aws_2026_11 = {
  h100: $6.88/h source "p5.48xlarge at $55.04 an hour, an eighth",
  a100_80g: $3.431/h source "p4de.24xlarge at $27.45 an hour, an eighth",
  a100_40g: $2.745/h source "p4d.24xlarge at $21.96 an hour, an eighth",
} source "Amazon EC2 on demand in us-east-1, read on 2026-11-09"
let hyperstack_2026_08 = {
  b300: $7.40/h,
  b200: $6.00/h,
  h200: $3.99/h,
  h100: $3.20/h,
} source "hyperstack.cloud/gpu-pricing, read on 2026-08-26"
let deepseek_2024_12 = {
  h800: $2.00/h,
} source "DeepSeek-V3 Technical Report (arXiv 2412.19437), table 1, which takes the rent of an H800 for this"
