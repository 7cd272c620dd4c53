import std.models.gpt, std.clusters.dgx

plan flows {
  model = gpt(layers: 1, hidden: 256, heads: 4, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  network = [flow(algorithm: "butterfly"), flow(channels: 0), flow(routing: "fastest"), flow(efficiency: 1.2), flow(of: "gossip")]
}
