// Mistakes in copies of records with changes; of a declared type, also where nobody calls.
import std.models.gpt, std.clusters.dgx

record Window { width: Int, stride: Int = width, at: Label = "layer[*]" }
let window: Window = { width: 3 }
fn slid(w: Window) -> Window = w with { strides = 2 }
fn marked(w: Window) -> Window = w with { at = attn.core }

let costs = { kind: a100_sxm_80g, power: 1.2, bytes: 0.8, eight: 1 }
let misspelt = costs with { pwoer = 1.3, colour = "red" }
let twice = costs with { power = 1.1, bytes = 1, power = 1.3 }
let linked = costs with { link gpu[*] <-> leaf[*] { bandwidth = 1 GB/s } }
let literal = { kind: 1 } with { size = 1 }
let number = 3 with { power = 1.3 }
let several = [costs] with { power = 1.3 }
let source = roofline(a100_sxm_80g) with { power = 1.3 }

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(misspelt.kind), roofline(twice.kind), roofline(linked.kind), literal, number, several, source]
}
