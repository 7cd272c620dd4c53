import std.models.gpt, std.clusters.dgx

extern fn gemm_time(shape: List[Int]) -> Time from "libgemm_time.so"

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [{ gemm: gemm_time }, roofline(a100_sxm_80g)]
}
