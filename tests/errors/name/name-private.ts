// Names that begin with `_` stay in their file; those of an import of an import stay there too.
import std.models.gpt, std.clusters.dgx, "_rings.ts"

fn turned(n: Int) -> Int = _turned(n)
fn embedded(x: Tensor) = embedding(x, vocab: 8, hidden: 8)

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
