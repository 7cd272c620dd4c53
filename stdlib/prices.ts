// What vendors asked for a device and an hour, on demand and before taxes, on a day. A plan says which of
// them it takes, or its own:
//
//   cluster = dgx_h100(nodes: 16) with { price = lambda_2026_09.h100 }
//
// Lists change every few months, and for the same board they differ by a factor of four on one day;
// reservations of a year cost a third less. A list is never changed here: a later one has another name.
//
// Sources: [Lambda] lambda.ai/instances, machines of eight, read on 2026-09-20; [AWS] Amazon EC2 on
// demand in us-east-1, p4d.24xlarge at $21.96, p4de.24xlarge at $27.45 and p5.48xlarge at $55.04 an
// hour, an eighth of each, read on 2026-11-09; [Hyperstack] hyperstack.cloud/gpu-pricing, read on
// 2026-08-26; [DeepSeek] DeepSeek-V3 Technical Report (arXiv 2412.19437), table 1, which takes the
// rent of an H800 for this.
let lambda_2026_09 = { b200: $6.69/h, h100: $3.99/h, a100_80g: $2.79/h, a100_40g: $1.99/h }
let aws_2026_11 = { h100: $6.88/h, a100_80g: $3.431/h, a100_40g: $2.745/h }
let hyperstack_2026_08 = { b300: $7.40/h, b200: $6.00/h, h200: $3.99/h, h100: $3.20/h }
let deepseek_2024_12 = { h800: $2.00/h }
