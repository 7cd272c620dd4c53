import std.models.gpt, std.clusters.dgx

fn power(n: Int) -> Int = if n == 0 then 1 else 2 * power(n - 1)

plan small {
  model = gpt(layers: 4, hidden: power(9), heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
