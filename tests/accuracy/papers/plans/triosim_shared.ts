// TrioSim's figure 5: two messages over one link, the second begins when half of the first has gone.
import std.gpus.nvidia

cluster shared(rate: Rate) {
  device gpu[2, 2]: h100_sxm
  switch side[2]
  for s in 0..2, g in 0..2 {
    link gpu[s, g] <-> side[s] { bandwidth = 100 * rate, latency = 0 us, tier = 0 }
  }
  link side[0] <-> side[1] { bandwidth = rate, latency = 0 us, tier = 1 }
}

plan triosim_shared {
  model = graph("triosim_shared.goal")
  cluster = shared(50 GB/s)
  costs = [roofline(h100_sxm)]
  network = [flow()]
}
