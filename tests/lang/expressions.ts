// Precedence, quantities, collections and conditions: each `require` must hold for the plan to compile.
import "_words.ts"

let squares = [i * i for i in 0..5]
let pairs = [10 * a + b for a in 0..3 for b in 0..3 if a != b]
let record = {
  one: 1,
  squares,
  nested: { in: [1, 2, 3], then: 7 },
}
fn size_of(n: Int, unit: Size = 1 KiB) = n * unit

schedule checked() {
  require 2 + 3 * 4 - 10 / 5 == 12 and -2 * 3 == -6, "arithmetic binds as usual"
  require not 1 == 2 and (false or not false), "`not` binds weaker than a comparison"
  require len(0..4) == 4 and len(1..1) == 0, "a range ends before its end"
  require 7 % 3 == 1 and div(7, 3) == 2 and ceil_div(7, 3) == 3, "division of whole numbers"
  require 400 Gb/s == 50 GB/s and 1 GiB == 1024 MiB and 1.5 us == 1500 ns, "units convert"
  require 1_000 == 1000 and 1e3 == 1000.0 and 3 TFLOP / 1 s == 3 TFLOP/s, "numbers"
  require squares == [0, 1, 4, 9, 16] and sum([x for x in squares if x > 4]) == 25, "comprehensions"
  require len(pairs) == 6 and pairs[0] == 1, "two variables and a condition"
  require record.nested.in[2] == 3 and record.nested.then == 7 and record.squares == squares, "words as fields"
  require (if len(squares) > 3 then "long" else if len(squares) > 1 then "short" else "none") == "long",
    "conditions nest"
  require size_of(2) == 2048 B and size_of(1, unit: 1 MiB) == 1 MiB, "defaults and named arguments"
  stages 1
  at 0 { if 1 < 2 { F(0) } else if true { B(0) } else {} for i in 0..1 where i == 0 { B(i) } }
}

plan expressions {
  model = depend(over: 1); cluster = switch_(n: 1)
  schedule = checked()
  costs = [{ rule: by }]
}
