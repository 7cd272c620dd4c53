import std.models.gpt, std.clusters.dgx

fn even(n: Int) -> Int = if n % 2 == 0 then n else refuse("layers come in pairs")

plan small(layers: Int = 3) {
  model = gpt(layers: even(layers), hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
}
