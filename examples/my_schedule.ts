// A schedule invented this morning: 1F1B whose stages start earlier. Each stage runs `ahead` more
// forwards than 1F1B before its first backward, which hides slow messages at the price of holding
// `ahead` more micro-batches. Written here, in the plan's own file, like any of the stdlib.
import std.models.llama, std.clusters.dgx, std.strategies.megatron, std.optimizers.adam, std.precision, std.costs.hosts, std.networks,
  std.costs.sources

schedule eager_start(p: Axis, m: Int, ahead: Int = 1) {
  require ahead >= 0, "ahead counts extra forwards: 0 is 1F1B"
  stages p
  at s in 0..p {
    let warm = min(p - 1 - s + (if s < p - 1 then ahead else 0), m)
    for i in 0..warm { F(i) }
    for i in warm..m { F(i) B(i - warm) }
    for i in m - warm..m { B(i) }
  }
}

plan my_schedule(tp: Int = 8, pp: Int = 4, ahead: Int = 1) {
  model = llama(layers: 32, hidden: 4096, heads: 32, kv_heads: 8, ffn: 14336, vocab: 128256, seq: 8192)
  cluster = dgx_h100(nodes: tp * pp / 8)
  mesh = { tp, pp }
  apply = [tensor_sequence_parallel(tp)]
  schedule = eager_start(p: pp, m: 16, ahead: ahead)
  batch = { micro: 1, global: 16 }
  tokens = 8192
  precision = mixed(bf16)
  optimizer = adam()
  costs = training_h100
  network = h100_infiniband
  host = megatron_host
}
