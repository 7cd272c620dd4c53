// Schedules of one's own, for `trainspec list`.
//   a table of no sentence

// As many forwards as there are
// micro-batches. Then the rest.
schedule mine(p: Axis, m: Int = 8) {
  stages p
  at s in 0..p {
    for i in 0..m { F(i) }
    for i in 0..m { B(i) }
  }
}
fn again(p: Axis) -> Schedule = mine(p, 4)

let slow = slower(roofline(old), by: 2)
let either = if true then [] else [slow]
let wires = [alpha_beta(base: 1 us)] + []
gpu old {
  memory = 16 GiB
  bandwidth = 900 GB/s
  peak = { fp32: 15 TFLOP/s, fp16: 125 TFLOP/s }
}
fn _private(n: Int) -> Int = n
