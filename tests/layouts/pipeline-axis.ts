import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.schedules.one_f_one_b

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { pp: 2 }
  apply = [tensor_parallel(pp)]
  schedule = one_f_one_b(p: pp, m: 4)
  costs = [roofline(h100_sxm)]
}
