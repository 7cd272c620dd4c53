import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.strategies.data

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 8, ffn: 1024, vocab: 1024, seq: 130)
  cluster = dgx_h100(nodes: 2)
  mesh = { tp: 4 }
  apply = [tensor_sequence_parallel(tp)]
  costs = [roofline(h100_sxm)]
}
