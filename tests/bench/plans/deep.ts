// Many small layers in one stage, with what is decided for each: parameters gathered, activations
// on the host, recomputation.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.strategies.offload, std.strategies.recompute
import std.optimizers.adam

plan deep(layers: Int = 500, offload: Bool = false, again: Bool = false, micro: Int = 1) {
  model = gpt(layers: layers, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  batch = { micro: micro, global: 8 * micro }
  apply = [fsdp(dp), if offload then offload_activations() else none, if again then full() else none]
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}

plan replicated(layers: Int = 500, micro: Int = 1) {
  model = gpt(layers: layers, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  batch = { micro: micro, global: 8 * micro }
  apply = [data_parallel(dp)]
  optimizer = adam()
  costs = [roofline(a100_sxm_80g)]
}
