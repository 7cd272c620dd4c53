import std.models.llama, std.clusters.dgx, std.strategies.megatron

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { tp: 6 }
  apply = [tensor_sequence_parallel(tp)]
  batch = { micro: 1 }
  costs = [roofline(a100_sxm_80g)]
}
