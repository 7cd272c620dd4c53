import std.models.gpt, std.clusters.dgx, std.strategies.megatron, std.strategies.data, std.schedules.interleaved
import std.optimizers.adam, std.precision

param memory: Size = 4.5 GiB

gpu small { memory = memory, bandwidth = 1 TB/s, peak = { bf16: 100 TFLOP/s, fp32: 50 TFLOP/s }, reserved = 500 MB }

plan crowded(tp: Int = 2, dp: Int = 4, pp: Int = 2, micro: Int = 4, v: Int = 2) {
  model = gpt(layers: 8, hidden: 2048, heads: 16, vocab: 32000, seq: 1024)
  cluster = box()
  mesh = { tp, dp, pp }
  apply = [tensor_sequence_parallel(tp), data_parallel(dp, bucket: 100 MiB)]
  schedule = interleaved_one_f_one_b(p: pp, m: 128 / dp / micro, v: v)
  batch = { micro: micro, global: 128 }
  precision = mixed(bf16)
  optimizer = adam()
  costs = roofline(small)
}

cluster box() {
  device gpu[16]: small
  switch crossbar[1]
  link gpu[*] <-> crossbar[0] { bandwidth = 100 GB/s, latency = 1 us }
}
