// Adapters beside products whose gathers go in parts: their input of 1024 x 1024 in bf16 (2 MiB) is
// gathered for the forward and for the weights, and its gradient is scattered.
import std.models.lora, std.clusters.dgx, std.strategies.megatron, std.precision, std.optimizers.adam

plan adapters(again: Bool = true) {
  model = llama_lora(layers: 4, hidden: 1024, heads: 16, kv_heads: 16, ffn: 2048, vocab: 32000, seq: 1024)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp: 4 }
  apply = [tensor_sequence_parallel(tp, adapters: again)]
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
