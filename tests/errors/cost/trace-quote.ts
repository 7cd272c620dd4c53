import std.import.plain, std.clusters.dgx

plan small {
  model = trace("_trace_quote.csv", plain(), repeat: 36)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
