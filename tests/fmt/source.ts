// Where numbers were found.
gpu a source "A data sheet, (2021)" {
  memory = 1 GiB source "nvidia-smi"
  bandwidth = 100 GB/s, peak = { fp32: 1 TFLOP/s source "whitepaper", bf16: 2 TFLOP/s }
}
gpu b = a with { memory = 2 GiB source "B" } source "B data sheet"
let rates = { x: 3 GB/s source "page 3" }
  source "list of 2026-09-20"
fn f(
  n: Int, // how many
  // of each
  m: Int = 3 source "a paper",
  k: Int = 3,
) -> Int = n + m + k
record R { w: Int = 4 source "measured"
 h: Int // height
}
let source = 4
let other = source source "x"
