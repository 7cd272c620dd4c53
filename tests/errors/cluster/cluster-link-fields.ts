import std.gpus.nvidia

cluster lights(n: Int) {
  device gpu[n]: h100_sxm
  switch light[1], hub[1]
  for g in 0..n {
    link gpu[g] <-> light[0] { bandwidth = 100 GB/s, setup = 10 us }
    link gpu[g] <-> hub[0] { bandwidth = -1 GB/s, ports = 5000, failed = 1 }
  }
}

plan fields() {
  cluster = lights(n: 2)
}
