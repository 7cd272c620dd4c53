language 1
// Two batches of one model on one GPU.
import std.import.plain, std.gpus.nvidia, std.clusters.dgx
plan measured {
  model = trace("../../examples/data/gpt2_large_a100_b4.csv", plain(tied: true), repeat: 36, from: a100_pcie_80g, beside: [
    trace("../../examples/data/gpt2_large_a100_b1.csv", plain(tied: true), from: a100_pcie_80g),
  ])
  cluster = dgx_a100_40g(nodes: 1)
  batch = { global: 4, micro: 4 }
  costs = [roofline(a100_pcie_80g)]
}
