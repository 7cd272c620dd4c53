// A pattern of another type than the value.
fn a(name: String) -> Int = match name { 1 -> 1, _ -> 2 }
let x = a("b")
let y = match 3 GB { 3 s -> 1, _ -> 2 }

gpu small { memory = 1 GiB; bandwidth = 100 GB/s; peak = { fp32: 1 TFLOP/s } }
cluster one() { device gpu[1]: small }
model none_of(n: Int) { yield input([batch, n], fp32) as x }
plan p { model = none_of(n: x + y); cluster = one(); costs = [] }
