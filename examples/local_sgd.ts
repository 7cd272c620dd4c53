// Local SGD: eight single-GPU machines on slow Ethernet train GPT-2 Medium. With `steps` = 1
// parameters are averaged after every optimizer step, as gradients are in data parallelism; with
// more, workers step on their own in between, and what the network costs is spread over so many
// steps:
//   tsrun examples/local_sgd.ts -D steps=1
//   tsrun examples/local_sgd.ts -D steps=8
import std.models.gpt, std.clusters.islands, std.gpus.nvidia, std.strategies.local_sgd, std.schedules.local_sgd
import std.optimizers.adam, std.precision, std.costs.sources

plan local_sgd_8(workers: Int = 8, steps: Int = 4, m: Int = 4, micro: Int = 4) {
  model = gpt2_medium()
  cluster = pcie_nodes(nodes: workers, gpus: 1, kind: a100_pcie_80g, nic: 10 Gb/s)
  mesh = { workers }
  apply = [average_parameters(workers, steps: steps, bucket: 100 MiB)]
  schedule = local_sgd(m: m, steps: steps)
  batch = { micro: micro, global: workers * steps * m * micro }
  precision = mixed(bf16)
  optimizer = adam()
  costs = [scale(c, from: a100_sxm_80g, to: a100_pcie_80g) for c in training_a100]
}
