// Names that two files of one's own bring clash where they are used: `rings` is used, and does not.
import std.models.gpt, std.clusters.dgx, "_rings.ts", "_gpt.ts" (gpt as small_gpt), "_gpt.ts"

let width = ring(256)

plan small {
  model = gpt(layers: 4, hidden: width + rings(256)[0], heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
