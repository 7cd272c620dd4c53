// A step from a traced operator table (torch.fx), on one GPU or four: ops/optable_*.csv.gz against ops/neusight_e2e.csv.
import std.import.torch_fx, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.gpipe, std.precision, std.hosts,
  std.networks

// The tables list one layer of each model and not how many words it knows: from the models' published configurations.
fn vocab_of(model: String) -> Int = if model == "bert_large" then 30522 else if model == "opt_13" then 50272 else 50257

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
  step_s: Real = 0,          // what a step of the table's batch took, where that is known
) {
  model = trace(
    table, torch_fx(vocab_of(model), tied: true), repeat: layers, batch_dim: 0, from: from, step: if step_s > 0 then step_s * 1 s else none,
    beside: [trace(t.table, torch_fx(vocab_of(t.model), tied: true), batch_dim: 0, from: t.from) for t in beside])
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
