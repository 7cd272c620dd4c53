language 1
// GPT-2 Large of a table recorded on one gpu, at any batch and on any gpu.
import std.import.plain, std.gpus.nvidia, std.clusters.linked, std.clusters.dgx, std.precision
plan scaled(
  file: String = "gpt2_large_h100_b4.csv", from: Gpu = h100_sxm, kind: Gpu = h100_sxm, batch: Int = 4, step: Time = 0 s,
  by: List[Any] = [], beside: List[Any] = [], costs_first: List[Any] = [],
) {
  model = trace("../../examples/data/" + file, plain(tied: true), repeat: 36, from: from, step: step, by: by, beside: beside)
  cluster = nvswitch_nodes(nodes: 1, kind: kind, nvlink: 300 GB/s, nic: 400 Gb/s)
  mesh = { dp: 1 }
  batch = { global: batch, micro: batch }
  precision = full_precision()
  costs = costs_first + [roofline(kind)]
}
