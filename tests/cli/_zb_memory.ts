// GPT of 4.8 billion parameters in eight stages, scheduled under a limit of each device's memory for activations.
import std.models.gpt, std.clusters.dgx, std.schedules.zero_bubble, std.optimizers.adam, std.precision

plan gpt_5b(memory: Size = 8 GB, pp: Int = 8, m: Int = 24) {
  model = gpt(layers: 24, hidden: 4096, heads: 32, vocab: 50304, seq: 1024)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp }
  schedule = zb_memory(p: pp, m: m, memory: memory)
  batch = { micro: 2, global: 2 * m }
  precision = mixed(bf16)
  optimizer = adam()
  costs = roofline(a100_sxm_80g, flops: 0.6, bytes: 0.8)
}
