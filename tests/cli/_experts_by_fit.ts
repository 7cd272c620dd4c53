// Experts priced by a fit beside the plan; `fit` names it.
import std.models.llama_moe, std.clusters.dgx, std.precision

plan experts_by_fit(file: String) {
  model = llama_moe(layers: 2, hidden: 1024, heads: 8, kv_heads: 8, ffn: 512, experts: 8, top: 2, vocab: 1024, seq: 512)
  cluster = dgx_h100(nodes: 1)
  precision = mixed(bf16)
  costs = [fit(file), roofline(h100_sxm)]
}
