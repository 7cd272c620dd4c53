// A plan and its lock as release 0.1.0 left them: neither is changed again.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.gpus.nvidia

plan tiny(dp: Int = 4, seq: Int = 512) {
  model = gpt(layers: 4, hidden: 1024, heads: 16, vocab: 1000, seq: seq)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  tokens = seq
  costs = [roofline(h100_sxm)]
  framework = { name: "Megatron-LM" }
}
