// Copies of records with changes: each `require` must hold for the plan to compile.
import "_words.ts"

record Window { width: Int, stride: Int = 2 * width, name: String = none, inside: Record = { rule: 1, link: 2 } }

let plain = { kind: "a", power: 1.2, nested: { link: 1, remove: 2 } }
let warm = plain with { power = 1.3 }
let deep = plain with {
  nested = plain.nested with { remove = 3 } // as a record, so again
  kind = "b"
}
let window: Window = { width: 3 }
let wider = window with { width = 4, name = "wide" }
let anew = wider with { stride = none, name = none }
fn all(w: Window) -> Int = w.width + w.stride

schedule checked() {
  require warm.power == 1.3 and warm.kind == "a" and warm.nested.link == 1, "what is named changes, the rest stays"
  require plain.power == 1.2 and deep.power == 1.2, "the record itself stays as it is"
  require deep.kind == "b" and deep.nested.remove == 3 and deep.nested.link == 1, "several fields, and nested ones"
  require plain with {} == plain and (plain with { power = 2 }).power == 2, "no change, and a member"
  require plain with { power = 2 } with { kind = "c" } == { kind: "c", power: 2, nested: { link: 1, remove: 2 } }, "one after the other"
  require plain with { power = none } == { kind: "a", power: none, nested: plain.nested }, "none, where no type says otherwise"
  require window.stride == 6 and wider.stride == 6 and wider.width == 4, "a default that was taken stays"
  require anew.stride == 8 and anew.name == none, "none takes the default again"
  require all(window with { width = 1 }) == 7 and all({ width: 2 } with { width = 1 }) == 3, "as an argument"
  require (wider with { inside = wider.inside with { rule = 3, link = 4 } }).inside == { rule: 3, link: 4 }, "words as fields"
  stages 1
  at 0 { F(0); B(0) }
}

plan records_with {
  model = depend(over: 1); cluster = switch_(n: 1)
  schedule = checked()
  costs = [{ rule: by }]
}
