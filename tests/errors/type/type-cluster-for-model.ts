import std.models.gpt, std.clusters.dgx

plan small {
  model = dgx_a100(nodes: 1)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
