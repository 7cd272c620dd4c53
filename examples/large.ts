// As large as asked for: two small layers a stage on any number of GPUs. doc/limits.md says what
// sizes take.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.schedules.one_f_one_b, std.costs.sources

plan large(dp: Int = 8, pp: Int = 1, m: Int = 1) {
  model = gpt(layers: 2 * pp, hidden: 1024, heads: 16, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: max(dp * pp / 8, 1))
  mesh = { dp, pp }
  apply = [data_parallel(dp)]
  schedule = one_f_one_b(p: pp, m: m)
  costs = training_a100
  framework = { name: "Megatron-LM" }
}
