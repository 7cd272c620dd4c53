import std.ops.nn, std.clusters.dgx, std.precision

// The model of _round_trip.json.
model recorded() {
  x = images(batch, [3, 8, 8]) as x
  a = conv2d(x, out: 4, kernel_size: 3, padding: 1) as conv1
  b = conv2d(a, out: 4, kernel_size: 3, padding: 1) as conv2
  y = linear(flatten(b), out: 8) as head
}

plan round_trip(file: String) {
  model = recorded()
  cluster = dgx_h100(nodes: 1)
  batch = { micro: 2, global: 2 }
  precision = torch_fp32()
  costs = [table(file)]
}
