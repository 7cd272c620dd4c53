import std.models.gpt, std.clusters.dgx

fn gemm_time(rows: Int, n: Int, k: Int) -> Time = rows * n * k * 1 ps

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [{ gemm: gemm_time }, roofline(a100_sxm_80g)]
}
