// One product in a narrow format, of 1,048,576 elements: MiB of its casts are bytes for an element.
import std.ops.nn, std.strategies.fp8, std.gpus.blackwell, std.clusters.dgx, std.precision

model one(frozen: Bool) {
  ids = input([batch, 1024], int64)
  x = embedding(ids, 1000, 1024) as embed
  y = linear(x, out: 1024, frozen: frozen) as product
}

plan casts(products: Strategy = fp8_products("product"), frozen: Bool = false) {
  model = one(frozen)
  cluster = nvswitch_nodes(1, kind: b200_sxm, gpus: 1, nvlink: 900 GB/s, nic: 400 Gb/s)
  apply = products
  precision = mixed(bf16)
  costs = roofline(b200_sxm)
}
