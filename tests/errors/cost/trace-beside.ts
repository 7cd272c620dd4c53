import std.import.plain, std.clusters.dgx

plan small {
  model = trace("_trace_device.csv", plain(), beside: [trace("_trace_device.csv", plain())])
  cluster = dgx_a100(nodes: 1)
  batch = { micro: 1, global: 8 }
  costs = [roofline(a100_sxm_80g)]
}
