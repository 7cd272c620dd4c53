// One all-reduce of 8 ranks, by a network of one's own.
import std.models.gpt, std.clusters.dgx, std.strategies.data, std.schedules.one_f_one_b, std.costs.sources, std.network_models

fn mine(call: Call) -> Time = 5 us + call.bytes / (20 GB/s * call.ranks)
fn below(call: Call) -> Time = call.bytes / (20 GB/s) - 1 ms

plan own(of: String = "mine", file: String = "busbw.yaml", group: String = "TP", tier: Int = -1) {
  model = gpt(layers: 1, hidden: 1024, heads: 16, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 8 }
  apply = [data_parallel(dp, bucket: 1 TiB)]
  schedule = one_f_one_b(p: 1, m: 1)
  costs = training_a100
  network = [
    measured(
      match of {
        "mine" -> points_of(mine, groups: [[8, 1]])
        "below" -> points_of(below, groups: [[8, 1]])
        "busbw" -> busbw_points(file, group, [[8, 1]])
        "none" -> []
        _ -> [{ collective: of, ranks: 8, bytes: 1 MiB, time: 1 ms }]
      },
      tier: tier,
    ),
  ]
}
