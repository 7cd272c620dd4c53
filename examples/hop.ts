// Decentralized training with stragglers, after Hop (Luo et al., arXiv 1902.01064): sixteen workers
// on a graph, each with the whole model, that average with their neighbours after every iteration.
// Every worker is slow, by a factor of six, in one iteration of sixteen, drawn at random: the
// heterogeneity of the paper's evaluation. What the paper adds helps:
//   tsrun examples/hop.ts                                                        updates of all neighbours are waited for
//   tsrun examples/hop.ts -D backups=1 -D ahead=4                                of all but one
//   tsrun examples/hop.ts -D staleness=4                                         updates may be four iterations old
//   tsrun examples/hop.ts -D graph=double_ring -D backups=1 -D ahead=4           on the paper's other graph
import std.schedules.hop

param chance: Real = 1.0 / 16
param slow_by: Real = 6

op compute(x: Tensor, parameters: Int, forward: Time, backward: Time) {
  weight w: [parameters]
  output y: x.shape
  forward { kernel stated { ps = forward / 1 ps } }
  backward(input) { kernel stated { ps = 0 } }
  backward(weight) { kernel stated { ps = backward / 1 ps } }
}

model stated(parameters: Int, forward: Time, backward: Time) {
  yield compute(input([1], fp32), parameters: parameters, forward: forward, backward: backward) as all
}

gpu worker {
  memory = 16 GiB
  bandwidth = 900 GB/s
  peak = { fp32: 14 TFLOP/s }
}

cluster ethernet(workers: Int) {
  device worker[workers]: worker
  switch center[1]
  for w in 0..workers {
    link worker[w] <-> center[0] { bandwidth = 10 Gb/s, latency = 20 us }
  }
}

fn as_stated(ps: Real) -> Time = ps * 1 ps

protocol stragglers {
  slow straggler: F(k) at w by slow_by where draw("hop", w, k) < chance
  slow straggler_too: B(k) at w by slow_by where draw("hop", w, k) < chance
}

plan hop_16(
  n: Int = 16,
  iterations: Int = 64,
  graph: Function = ring_based,
  backups: Int = 0,
  staleness: Int = 0,
  ahead: Int = 0,
  parameters: Int = 9_250_000,
  compute: Time = 150 ms,
) {
  model = stated(parameters, forward: compute / 3, backward: 2 * compute / 3)
  cluster = ethernet(n)
  mesh = { n }
  schedule = hop(n, iterations: iterations, size: parameters * bytes(fp32), graph: graph, backups: backups, staleness: staleness, ahead: ahead)
  protocols = stragglers
  costs = [{ stated: as_stated }, roofline(worker)]
}
