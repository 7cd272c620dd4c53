// Two experts on one rank, to which 100 tokens each go: products of 112 rows in 8 bits, of 128 in
// blocks of 32. FLOPs of the first product are 2 x 2 experts x rows x 256 x 128.
import std.ops.nn, std.ops.moe, std.strategies.fp8, std.gpus.blackwell, std.clusters.dgx, std.precision

model two() {
  ids = input([batch, 200], int64)
  x = embedding(ids, 1000, 128) as embed
  y = experts(x, experts: 2, top: 1, ffn: 128) as moe
}

plan filled(products: Any = none) {
  model = two()
  cluster = nvswitch_nodes(1, kind: b200_sxm, gpus: 1, nvlink: 900 GB/s, nic: 400 Gb/s)
  apply = products
  precision = mixed(bf16)
  costs = roofline(b200_sxm)
}
