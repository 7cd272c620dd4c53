// A machine nobody has yet: matrix products are timed by our own C function, everything else by its
// roofline. Build the library first:  cc -shared -fPIC -o examples/libextern_cost.so
// examples/extern_cost.c and name it, since it is native code:  tsrun
// --allow-native=examples/libextern_cost.so examples/extern_cost.ts
import std.models.llama, std.schedules.single, std.optimizers.adam, std.precision, std.clusters.dgx

extern fn systolic_gemm(m: Int, n: Int, k: Int) -> Time from "libextern_cost.so"

gpu systolic {
  memory = 96 GiB
  bandwidth = 4 TB/s
  peak = { bf16: 23 PFLOP/s, fp32: 1 PFLOP/s }
}

plan extern_cost(micro: Int = 2) {
  model = llama(layers: 16, hidden: 2048, heads: 32, kv_heads: 8, ffn: 8192, vocab: 128256, seq: 4096)
  cluster = pcie_node(gpus: 1, kind: systolic)
  schedule = accumulate(m: 4)
  batch = { micro: micro, global: 4 * micro }
  tokens = 4096
  precision = mixed(bf16)
  optimizer = adam()
  costs = [{ gemm: systolic_gemm }, roofline(systolic)]
}
