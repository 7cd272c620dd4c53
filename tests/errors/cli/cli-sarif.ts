import std.models.gpt, std.clusters.dgx

plan small {
  model = gtp(layers: 4)
  cluster = dgx_a100(nodes: 1)
  shedule = none
  costs = [roofline(a100_sxm_80g)]
}
