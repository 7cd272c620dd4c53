import std.models.gpt, std.clusters.dgx

let many = sum(range(0, 9223372036854775807))
let none_at_all = max(range(0, 9223372036854775807))
let more = len(range(-9223372036854775807, 9223372036854775807))

plan p {
  model = gpt(layers: 2, hidden: 64, heads: 2, vocab: 128, seq: 16)
  cluster = dgx_a100(nodes: 1)
  costs = [roofline(a100_sxm_80g)]
  memory = { spare: -1 GiB }
}
