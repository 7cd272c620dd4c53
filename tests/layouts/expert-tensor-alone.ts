import std.models.llama_moe, std.clusters.dgx, std.strategies.experts

plan small {
  model = llama_moe(layers: 4, hidden: 512, heads: 8, kv_heads: 8, ffn: 512, experts: 8, top: 2, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 2 }
  apply = [expert_tensor_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
