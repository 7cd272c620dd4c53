// TrioSim's two tables as a model: FOLDER_trace.csv and FOLDER_tensor.csv.
import std.import.triosim, std.clusters.dgx, std.strategies.data, std.schedules.gpipe, std.optimizers.adam, std.precision

plan rows(files: String = "_triosim_rows", end: String = ".csv", batch: Int = 8, dp: Int = 1, pp: Int = 1, micro_batches: Int = 1) {
  model = trace(files + "_trace" + end, triosim, tensors: files + "_tensor" + end, from: h100_sxm, batch_dim: 0)
  cluster = nvswitch_nodes(1, kind: h100_sxm, nvlink: 65 GB/s, nic: 400 Gb/s)
  mesh = { dp, pp }
  apply = [data_parallel(dp, bucket: 25 MiB)]
  schedule = gpipe(p: pp, m: micro_batches)
  batch = { micro: batch / micro_batches, global: batch * dp }
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = [flow()]
}
