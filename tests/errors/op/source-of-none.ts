// A source may be none; what is made of none is no source.
import std.models.gpt, std.clusters.dgx

plan small {
  model = gpt(layers: 1, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [slower(none, by: 2), like(none, family: "gemm", as: "attention"), scale(none, from: a100_sxm_80g, to: a100_sxm_80g), roofline(a100_sxm_80g)]
}
