// A model out of a recording of one device: packages/tracer/examples/gpt.py with 2 layers of width 128 ran on
// one core of a CPU, timed, and became a table that plans divide:
//
//   trainspec-trace --world 1 --timed -o gpt.{rank}.json -- python gpt.py --layers 2 --hidden 128
//     --heads 8 --sequence 64 --batch 2 --micro-batches 2
//   trainspec table --model -o data/gpt_recorded.csv gpt.0.json
//
// Times are those of the CPU, 84.5 ms for a micro-batch of 2 and the update; the network is that of
// a DGX H100, so communication is nearly free. A profile of a GPU with its execution trace gives
// such a table likewise (doc/traces.md, "From a recording").
//
// Try:  -D dp=2    -D pp=2    -D tp=4    -D micro=4
language 1
import std.import.recorded, std.gpus.nvidia, std.clusters.dgx, std.networks, std.precision, std.optimizers.adam
import std.strategies.data, std.strategies.megatron, std.schedules.one_f_one_b

plan recorded_gpt(micro: Int = 2, tp: Int = 1, dp: Int = 1, pp: Int = 1) {
  model = trace("data/gpt_recorded.csv", recorded())
  cluster = dgx_h100(nodes: 1)
  mesh = { tp, dp, pp }
  apply = [data_parallel(dp)] + (if tp > 1 then [tensor_parallel(tp)] else [])
  schedule = one_f_one_b(pp, pp)
  batch = { global: micro * dp * pp, micro: micro }
  tokens = 64
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
