// Square products: forward and both gradients have the same sizes, and each its own time. Tensor
// parallelism that hides nothing: what is gathered for the weights waits for the kernels before it.
import std.models.llama, std.ops.nn, std.clusters.dgx, std.strategies.megatron, std.precision, std.optimizers.adam

model square() {
  x = input([batch, 1024], bf16)
  repeat 2 as layer {
    x = linear(x, out: 1024) as part
  }
}
fn of(pass: String) -> Any = during(
  pass,
  table("_passes.csv", family: "gemm", dtype: bf16, where: { pass: pass }, columns: { m: "m", n: "n", k: "k" }),
)

plan passes {
  model = square()
  cluster = dgx_h100(nodes: 1)
  mesh = { dp: 1 }
  apply = []
  batch = { micro: 1024 }
  tokens = 1
  precision = mixed(bf16)
  optimizer = adam()
  costs = [of("weight"), of("forward"), of("input"), roofline(h100_sxm)]
}

plan exposed(hidden: Bool = false) {
  model = llama(layers: 4, hidden: 1024, heads: 16, kv_heads: 4, ffn: 2048, vocab: 32000, seq: 2048)
  cluster = dgx_h100(nodes: 1)
  mesh = { tp: 4 }
  apply = [tensor_sequence_parallel(tp, gather: hidden, scatter: hidden, again: hidden)]
  costs = [roofline(h100_sxm)]
}
