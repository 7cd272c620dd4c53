// Values of a type that has few, without an arm.
record Choice { on: Bool = true }
fn a(on: Bool) -> Int = match on { true -> 1 }
fn b(how: Overlap) -> Int = match how { true -> 1, ring -> 2, false -> 0 }
fn c(choice: Choice) -> Int = match choice.on { false -> 1 }
fn d(on: Bool) -> Int = match on { true -> 1, _ -> 2 }
fn e(on: Bool) -> Int = match on { true | false -> 1 }

gpu small { memory = 1 GiB; bandwidth = 100 GB/s; peak = { fp32: 1 TFLOP/s } }
cluster one() { device gpu[1]: small }
model none_of(n: Int) { yield input([batch, n], fp32) as x }
plan p { model = none_of(n: a(true)); cluster = one(); costs = [] }
