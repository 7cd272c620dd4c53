// Arms that no value takes; each is a warning.
fn a(name: String) -> Int = match name {
  "x" -> 1
  "y" | "x" -> 2
  _ -> 3
  "z" -> 4
}
fn b(n: Int) -> Int = match n { 1_0 -> 1, 10 -> 2, _ | 3 -> 4 }
fn c(how: Overlap) -> Int = match how { ring -> 1, true -> 2, ring -> 3, _ -> 4 }

gpu small { memory = 1 GiB; bandwidth = 100 GB/s; peak = { fp32: 1 TFLOP/s } }
cluster one() { device gpu[1]: small }
model none_of(n: Int) { yield input([batch, n], fp32) as x }
plan p { model = none_of(n: a("x") + b(2) + c(true)); cluster = one(); costs = [] }
