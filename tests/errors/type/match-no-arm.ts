// No arm is for the value: near ones are proposed, or all are listed.
fn rate(kind: String) -> Int = match kind { "flash" | "flash2" -> 2, "unfused" -> 1 }
fn turns(n: Int) -> Int = match n { 1 -> 1, 2 -> 3 }
let near = rate("flsh")
fn load(kind: String) -> Int = match kind { "flash" -> 2, "unfused" -> 1 }
let far = load("other")
let other = turns(4)

gpu small { memory = 1 GiB; bandwidth = 100 GB/s; peak = { fp32: 1 TFLOP/s } }
cluster one() { device gpu[1]: small }
model none_of(n: Int) { yield input([batch, n], fp32) as x }
plan p { model = none_of(n: near + far + other); cluster = one(); costs = [] }
