language 1
// FSDP2 on the graph of one rank, against the script traced again (tests/traces/graph-divided.cmd):
// it asks for the root to be gathered again, too.
import std.clusters.dgx, std.networks, std.gpus.nvidia, std.optimizers.adam, std.precision, std.strategies.data, std.schedules.one_f_one_b
plan divided(file: String = "_divided_llama.{rank}.json.gz", dp: Int = 2, micro: Int = 8) {
  model = graph(file)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [
    fsdp(dp, units: "blocks.*", copied: true) with {
      rule root_again {
        match * where not within(label, "blocks.*")
        before backward(input): all_gather(parameters, over: dp, group: "blocks.*", copied: true)
      }
    },
  ]
  batch = { global: micro * dp, micro }
  precision = full_precision()
  optimizer = adam()
  costs = [roofline(h100_sxm)]
  network = h100_infiniband
}
