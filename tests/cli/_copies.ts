import std.models.gpt, std.clusters.dgx, std.schedules.dual_pipe, std.optimizers.adam, std.precision, std.strategies.data

plan copies(pp: Int = 2, dp: Int = 2, sharded: Bool = false) {
  model = gpt(layers: 4, hidden: 1024, heads: 8, vocab: 1024, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp, dp }
  apply = if sharded then zero2(dp) else data_parallel(dp)
  schedule = dual_pipe(p: pp, m: 4)
  precision = mixed(bf16)
  optimizer = adam()
  costs = roofline(a100_sxm_80g)
}
