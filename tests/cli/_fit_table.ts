import std.models.gpt, std.clusters.dgx, std.strategies.data, "_sizes.ts"

param hidden: Int = 64 * heads

plan fitted(dp: Int = 2, layers: Int = 2, launch: Time = 6 us) {
  model = gpt(layers: layers, hidden: hidden, heads: heads, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp }
  apply = [data_parallel(dp)]
  host = { launch: launch }
  costs = [fit(table("_gemms.csv"), gpu: a100_sxm_80g), roofline(a100_sxm_80g)]
}
