// A price of std, and one that is not in its list.
import std.clusters.dgx, std.models.gpt, std.gpus.nvidia, std.costs.prices

plan rented(price: Price = lambda_2026_09.h100) {
  model = gpt(layers: 4, hidden: 1024, heads: 16, vocab: 1000, seq: 512)
  cluster = dgx_h100(nodes: 1) with { price = price }
  mesh = { dp: 1 }
  tokens = 512
  costs = [roofline(h100_sxm)]
}
