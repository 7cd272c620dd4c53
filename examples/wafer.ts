// A wafer of 12 x 7 dies: tensor parallel along the rows, replicas down the columns. Flows over an
// electrical mesh, which joins neighbours, and over circuits of light between any two dies: the
// ends of rows and columns are joined by light, so each is a ring.
//
// Try:  -D light=false                 the mesh alone: what closes a ring goes back over all of its
// dies
//       -D ports=1 -D setup=1ms        circuits are taken down and set up again all the time
//       tsrun --contention             rows and columns at the same time, circuits kept from one call to the next
import std.models.gpt, std.clusters.meshes, std.strategies.megatron, std.strategies.data, std.optimizers.adam, std.precision,
  std.costs.hosts

gpu wafer_die {
  memory = 48 GiB
  reserved = 0.5 GiB
  bandwidth = 1.5 TB/s
  peak = { fp32: 30 TFLOP/s, tf32: 120 TFLOP/s, fp16: 240 TFLOP/s, bf16: 240 TFLOP/s }
}

plan wafer(rows: Int = 12, columns: Int = 7, light: Bool = true, ports: Int = 4, setup: Time = 10 us, micro: Int = 2) {
  model = gpt(layers: 24, hidden: 3584, heads: 28, vocab: 50400, seq: 1792)
  cluster = if light then wafer_photonic(
    rows: rows,
    columns: columns,
    kind: wafer_die,
    rate: 200 GB/s,
    optical: 200 GB/s,
    setup: setup,
    ports: ports,
  ) else wafer_mesh(rows: rows, columns: columns, kind: wafer_die, rate: 200 GB/s)
  mesh = { tp: columns, dp: rows }
  apply = [tensor_sequence_parallel(tp), data_parallel(dp, bucket: 100 MiB)]
  batch = { micro: micro, global: rows * micro }
  tokens = 1792
  precision = mixed(bf16)
  optimizer = adam()
  costs = [roofline(wafer_die, flops: 0.6, bytes: 0.8)]
  network = [flow(base: 5 us, hop: 0.5 us)]
  host = megatron_host
}
