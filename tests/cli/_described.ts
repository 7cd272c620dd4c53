import std.models.gpt, std.clusters.topologies, std.gpus.nvidia, std.strategies.data

plan described(file: String, dp: Int = 4, room: Room = {}) {
  model = gpt(layers: 2, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = topology(file, kind: h100_sxm, room: room)
  mesh = { dp }
  apply = [data_parallel(dp)]
  costs = [roofline(h100_sxm)]
}
