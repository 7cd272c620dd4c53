import std.models.gpt, std.clusters.dgx

plan twice_named {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [table("_of_h100.csv", where: { m: 4096 }, columns: { m: "m" }), roofline(a100_sxm_80g)]
}
