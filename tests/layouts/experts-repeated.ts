// Tensor parallelism says nothing of experts, so that each of its ranks computes all of them.
import std.models.llama_moe, std.clusters.dgx, std.strategies.megatron, std.costs.sources

plan small(tp: Int = 4) {
  model = llama_moe(layers: 2, hidden: 1024, heads: 16, kv_heads: 4, ffn: 3584, experts: 8, top: 2, vocab: 32000, seq: 1024)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp }
  apply = [tensor_parallel(tp)]
  costs = training_h100
}
