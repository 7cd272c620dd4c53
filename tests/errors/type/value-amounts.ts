import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b, std.schedules.interleaved

plan p {
  model = gpt(layers: 4, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  host = { launch: -1 us, step: 1e30 s }
  precision = { compute: bf16, accumulate: -1 B, buffers: 1e300 B }
  optimizer = { state: -8 B, kernels: [{ family: "x", reads: 8 B, flops: "many" }] }
}
