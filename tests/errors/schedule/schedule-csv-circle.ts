import std.models.gpt, std.clusters.dgx, std.schedules.file

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 2 }
  schedule = from_csv("_schedule-csv-circle.csv")
  costs = [roofline(a100_sxm_80g)]
}
