import std.models.gpt, std.clusters.dgx, std.strategies.context, std.strategies.data

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1024, seq: 128)
  cluster = dgx_h100(nodes: 2)
  mesh = { cp: 2 }
  apply = [context_parallel(cp), data_parallel(cp)]
  costs = [roofline(h100_sxm)]
}
