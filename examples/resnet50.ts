// ResNet-50 from the profile of one H100, extrapolated to eight: data parallel with bucketed,
// overlapped all-reduce, or a GPipe pipeline whose stages are cut where the measured times balance.
//
// data/resnet50_h100_b128.csv holds every operator of one training iteration at batch 128
// (TrioSim's profile; 23.9 ms forward, 46.0 backward, 0.8 Adam). Another micro-batch is scaled from
// it by the roofline.
//
// Try:  -D dp=8    -D pp=8 -D micro_batches=8    -D dp=2 -D pp=4 -D micro_batches=4
import std.import.plain, std.clusters.dgx, std.strategies.data, std.schedules.gpipe, std.optimizers.adam, std.precision, std.costs.hosts

plan resnet50(dp: Int = 1, pp: Int = 1, batch: Int = 128, micro_batches: Int = 1) {
  model = trace("data/resnet50_h100_b128.csv", plain(sums: true))
  cluster = dgx_h100(nodes: 1)
  mesh = { dp, pp }
  apply = [data_parallel(dp, bucket: 25 MiB, overlap: true)]
  schedule = gpipe(p: pp, m: micro_batches)
  batch = { micro: batch / micro_batches, global: batch * dp }
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  host = eager_torch
}
