import std.models.gpt, std.clusters.dgx

let nodes = 4 +
plan small {
  model = gpt(layers: 4 hidden: 512)
  mesh = { tp: 2, 
  cluster = dgx_a100(nodes: nodes)
  costs = [roofline(a100_sxm_80g)]
}
