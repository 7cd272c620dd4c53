// Devices in grids: each has a router (which forwards), routers are linked to their neighbours. All
// links are of tier 0 but those that leave a grid.

// Two-dimensional torus. Source for both: Jouppi et al., "TPU v4: an optically reconfigurable
// supercomputer for machine learning" (ISCA 2023).
cluster torus_2d(x: Int, y: Int, kind: Gpu, rate: Rate, latency: Time = 0.5 us) {
  device gpu[x, y]: kind
  switch router[x, y]
  for i in 0..x, j in 0..y {
    link gpu[i, j] <-> router[i, j] { bandwidth = 4 * rate, latency = 0 us, tier = 0 }
    if x > 1 {
      link router[i, j] <-> router[(i + 1) % x, j] { bandwidth = rate, latency = latency, tier = 0 }
    }
    if y > 1 {
      link router[i, j] <-> router[i, (j + 1) % y] { bandwidth = rate, latency = latency, tier = 0 }
    }
  }
}

// Three-dimensional torus.
cluster torus_3d(x: Int, y: Int, z: Int, kind: Gpu, rate: Rate, latency: Time = 0.5 us) {
  device gpu[x, y, z]: kind
  switch router[x, y, z]
  for i in 0..x, j in 0..y, k in 0..z {
    link gpu[i, j, k] <-> router[i, j, k] { bandwidth = 6 * rate, latency = 0 us, tier = 0 }
    if x > 1 {
      link router[i, j, k] <-> router[(i + 1) % x, j, k] { bandwidth = rate, latency = latency, tier = 0 }
    }
    if y > 1 {
      link router[i, j, k] <-> router[i, (j + 1) % y, k] { bandwidth = rate, latency = latency, tier = 0 }
    }
    if z > 1 {
      link router[i, j, k] <-> router[i, j, (k + 1) % z] { bandwidth = rate, latency = latency, tier = 0 }
    }
  }
}

// A wafer of dies: an electrical mesh without wrap-around. Several wafers are joined by optical
// links at their right and left edges.
cluster wafer_mesh(
  wafers: Int = 1,
  rows: Int = 12,
  columns: Int = 7,
  kind: Gpu,
  rate: Rate,
  latency: Time = 0.1 us,
  optical: Rate = 100 GB/s,
  optical_latency: Time = 1 us,
) {
  device die[wafers, rows, columns]: kind
  switch router[wafers, rows, columns]
  for w in 0..wafers, i in 0..rows, j in 0..columns {
    link die[w, i, j] <-> router[w, i, j] { bandwidth = 4 * rate, latency = 0 us, tier = 0 }
    if i + 1 < rows {
      link router[w, i, j] <-> router[w, i + 1, j] { bandwidth = rate, latency = latency, tier = 0 }
    }
    if j + 1 < columns {
      link router[w, i, j] <-> router[w, i, j + 1] { bandwidth = rate, latency = latency, tier = 0 }
    }
  }
  for w in 0..wafers - 1, i in 0..rows {
    link router[w, i, columns - 1] <-> router[w + 1, i, 0] { bandwidth = optical, latency = optical_latency, tier = 1 }
  }
}

// A wafer of dies with two networks: the electrical mesh, and circuits of light between any two
// dies. A die holds `ports` circuits each way at a time; one that nobody uses is taken down for
// another, which takes `setup`. Neighbours talk over the mesh, dies far apart by light: paths are
// those of the lowest latency.
cluster wafer_photonic(
  rows: Int = 12,
  columns: Int = 7,
  kind: Gpu,
  rate: Rate,
  latency: Time = 0.1 us,
  optical: Rate,
  optical_latency: Time = 0.25 us,
  setup: Time = 10 us,
  ports: Int = 4,
) {
  device die[rows, columns]: kind
  switch router[rows, columns], light[1]
  for i in 0..rows, j in 0..columns {
    link die[i, j] <-> router[i, j] { bandwidth = 4 * rate, latency = 0 us, tier = 0 }
    link die[i, j] <-> light[0] { bandwidth = optical, latency = optical_latency, tier = 0, ports = ports, setup = setup }
    if i + 1 < rows {
      link router[i, j] <-> router[i + 1, j] { bandwidth = rate, latency = latency, tier = 0 }
    }
    if j + 1 < columns {
      link router[i, j] <-> router[i, j + 1] { bandwidth = rate, latency = latency, tier = 0 }
    }
  }
}
