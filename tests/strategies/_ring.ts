// One layer of Llama on two ranks whose products go on in parts between the shifts of a ring.
import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.precision

plan ring_of_two(slows: Real = 1) {
  model = llama(layers: 1, hidden: 1024, heads: 8, kv_heads: 8, ffn: 2048, vocab: 4096, seq: 1024)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp: 2 }
  apply = [tensor_sequence_parallel(tp, gather: ring, scatter: ring, slows: slows)]
  batch = { micro: 1 }
  precision = mixed(bf16)
  costs = [roofline(h100_sxm)]
}
