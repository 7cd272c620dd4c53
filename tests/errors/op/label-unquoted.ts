import std.models.gpt, std.clusters.dgx, std.strategies.recompute

strategy kept(ops: List[Label]) {
  rule own {
    match * as ops
    recompute
  }
}

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { dp: 4 }
  apply = [kept(ops: ["attn.core", mlp.up]), kept(if true then [layer[0].attn] else [])]
  recompute = selective(head)
  costs = [roofline(a100_sxm_80g)]
}
