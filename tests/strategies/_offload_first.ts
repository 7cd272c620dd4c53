import std.models.llama, std.clusters.dgx, std.precision, std.optimizers.adam, std.costs.sources, std.strategies.offload,
  std.schedules.one_f_one_b, std.gpus.nvidia

plan offloaded(first: Int = 0) {
  model = llama(layers: 4, hidden: 1024, heads: 8, kv_heads: 8, ffn: 4096, vocab: 1024, seq: 1024)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 1 }
  apply = [offload_activations(first: first)]
  schedule = one_f_one_b(p: 1, m: 1)
  batch = { micro: 1 }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
