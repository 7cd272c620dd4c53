// The first arm that fits gives the value of `match`: each `require` must hold for the plan to compile.
import "_words.ts"

record Window { width: Int = 1 }
let seven = 7
fn size_of(name: String) -> Int = match name {
  "short" -> 1
  "long" | "longer" -> 2
  _ -> 3
}
fn count(n: Int) -> String = match n { 0 -> "none", -1 | 1 -> "one", seven -> "seven", _ -> "many" }
fn both(a: Bool, b: Bool) -> Int = match a {
  true -> match b { true -> 3, false -> 2 }
  false -> match b { true -> 1, false -> 0 }
}
fn hidden(how: Overlap) -> Int = match how { ring | own_part -> 2, true -> 1, false -> 0 }
fn given(w: Any) -> Int = match w { none -> 0, [1, 2] -> 2, _ -> 1 }
fn named(r: Record) -> Int = match r { { width: 4 } -> 4, _ -> 1 }
fn window(wide: String) -> Window = match wide { "wide" -> { width: 8 }, _ -> {} }
fn lazy(n: Int) -> Int = match n { 1 -> 1, _ -> div(1, n - 1) }

schedule checked(p: Axis) {
  require [size_of(x) for x in ["short", "long", "longer", "wide"]] == [1, 2, 2, 3], "texts"
  require [count(n) for n in [0, 1, -1, 7, 8]] == ["none", "one", "one", "seven", "many"], "numbers, and names of numbers"
  require [both(a, b) for a in [true, false] for b in [true, false]] == [3, 2, 1, 0], "one in another"
  require [hidden(ring), hidden(own_part), hidden(true), hidden(false)] == [2, 2, 1, 0], "words"
  require [given(none), given([1, 2]), given([3])] == [0, 2, 1] and named({ width: 4 }) == 4, "lists and records"
  require window("wide").width == 8 and window("narrow").width == 1, "a record of the wanted type"
  require lazy(1) == 1, "other arms are not evaluated"
  require 1 + match 2 { 2 -> 3, _ -> 0 } * 2 == 7, "it is an operand"
  require match p { 1 -> true, _ -> false }, "an axis is its size"
  require match 400 Gb/s { 50 GB/s -> true, _ -> false }, "quantities"
  require (match 1 { 1 -> { a: 5 }, _ -> none }).a == 5, "whatever it is"
  stages p
  at 0 { F(0) B(0) }
}

plan matched {
  model = depend(over: 1); cluster = switch_(n: 1)
  mesh = { pp: 1 }
  schedule = checked(p: pp)
  costs = [{ rule: by }]
}
