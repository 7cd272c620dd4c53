import std.clusters.dgx, std.ops.nn

let mine = { ops: [{ kind: "linear", op: "linear" }] }

plan small {
  model = trace("_trace_flat.csv", mine)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
