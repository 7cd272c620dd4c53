// What a record's type says holds for a copy with changes too, wherever the record comes from.
import std.models.gpt, std.clusters.dgx

record Window { width: Int, stride: Int = width }
fn window(n: Int) -> Window = { width: n }
fn _window(n: Int) = window(n)

let wide = _window(3) with { width = 3 us }
let unknown = _window(3) with { widht = 4 }
let other: Host = _window(3) with { width = 4 }

plan small {
  model = gpt(layers: wide.width, hidden: 512, heads: unknown.width, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  host = other
}
