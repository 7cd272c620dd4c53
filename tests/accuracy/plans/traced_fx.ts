// A step from a traced operator table (torch.fx), on one GPU or four: ops/optable_*.csv.gz against ops/neusight_e2e.csv.
import std.import.torch_fx, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.gpipe, std.precision,
  std.costs.hosts, std.networks

// The tables list one layer of each model and not how many words it knows: from the models' published configurations.
fn vocab_of(model: String) -> Int = if model == "bert_large" then 30522 else if model == "opt_13" then 50272 else 50257

// Boards of NeuSight's single products that std does not have. NVIDIA data sheets: T4 (2019), P100 PCIe (2016), P4 (2017).
gpu t4 = l4 with {
  bandwidth = 320 GB/s
  peak = { fp32: 8.1 TFLOP/s }
  sms = 40
  l2 = 4 MiB
  watts = 70 W
  called = ["t4"]
}
gpu p100_pcie = l4 with {
  bandwidth = 732 GB/s
  peak = { fp32: 9.3 TFLOP/s }
  sms = 56
  l2 = 4 MiB
  watts = 250 W
  called = ["p100_pcie"]
}
gpu p4 = l4 with {
  bandwidth = 192 GB/s
  peak = { fp32: 5.5 TFLOP/s }
  sms = 20
  l2 = 2 MiB
  watts = 75 W
  called = ["p4"]
}
gpu a100_pcie_40g = a100_pcie_80g with { bandwidth = 1555 GB/s, watts = 250 W, called = ["a100_pcie_40"] }

// Products that were timed alone: linear layers, or batched ones.
fn products(t: Record) = table(
  t.table,
  family: t.family,
  from: t.from,
  columns: if t.family == "linear alone" then { m: "m", n: "n", k: "k" } else { m: "m", n: "n", k: "k", count: "batch" },
)

plan traced_fx(
  table: String,
  model: String,
  layers: Int,
  batch: Int,
  micro: Int = batch,
  dp: Int = 1,
  tp: Int = 1,
  pp: Int = 1,
  kind: Gpu = h100_sxm,
  from: Gpu = kind, // that ran the table: models of its operators scale its times to other batches, and to `kind`
  beside: List[Record] = [], // further tables to learn from: { table, model, from }
  singles: List[Record] = [], // tables of single products to learn from: { table, family, from }
  step_s: Real = 0, // what a step of the table's batch took, where that is known
) {
  model = trace(
    table,
    torch_fx(vocab_of(model), tied: true),
    repeat: layers,
    batch_dim: 0,
    from: from,
    step: step_s * 1 s,
    beside: [trace(t.table, torch_fx(vocab_of(t.model), tied: true), batch_dim: 0, from: t.from) for t in beside] +
      [products(t) for t in singles],
  )
  framework = { name: "PyTorch" }
  cluster = nvswitch_nodes(nodes: 1, kind: kind, nvlink: if kind.name == "h100_sxm" then 450 GB/s else 300 GB/s, nic: 400 Gb/s)
  mesh = { tp, dp, pp }
  apply = [tensor_parallel(tp), data_parallel(dp, bucket: 25 MiB, overlap: false)]
  schedule = gpipe(p: pp, m: batch / micro)
  batch = { micro: micro / dp, global: batch }
  precision = full_precision()
  costs = [roofline(kind)]
  network = h100_infiniband
  host = eager_torch
}
