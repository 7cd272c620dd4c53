import std.models.llama, std.clusters.dgx, std.strategies.recompute

plan small {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 2, ffn: 1024, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { dp: 1 }
  apply = [selective("attn.scores")]
  costs = [roofline(h100_sxm)]
}
