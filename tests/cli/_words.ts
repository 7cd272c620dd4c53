import std.models.llama, std.clusters.dgx, std.strategies.context, std.strategies.data, std.strategies.recompute

plan small(how: Overlap = ring, ops: List[Label] = ["attn.core"]) {
  model = llama(layers: 4, hidden: 512, heads: 8, kv_heads: 8, ffn: 1024, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { cp: 4 }
  apply = [context_parallel(cp, overlap: how), data_parallel(cp), [selective(one) for one in ops]]
  costs = [roofline(a100_sxm_80g)]
}
