import std.models.llama, std.clusters.dgx, std.precision

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 8, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 1)
  precision = mixed(fp8)
  costs = [roofline(h100_sxm)]
}
