import std.models.gpt, std.clusters.dgx

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  network = [
    packet(mtu: 0 B), packet(mtu: 2 MiB), packet(header: 5 KiB),
    packet(queue: 0 B), packet(queue: 5 GiB), packet(buffer: 0 B),
    packet(mark_from: -1 us), packet(mark_from: 50 us), packet(mark_to: 2 us), packet(mark_to: 2 s), packet(mark_share: 1.5),
    packet(gain: 0.0), packet(step: -0.1), packet(timer: 0 s), packet(report: 2 s), packet(limit: 0), packet(limit: -5),
    packet(channels: 0), packet(routing: "fastest"), packet(algorithm: "star"), packet(efficiency: 1.2), packet(of: "gossip")
  ]
}
