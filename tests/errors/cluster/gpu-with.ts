import std.models.gpt, std.clusters.dgx

gpu large = a100_sxm_80g with { memroy = 141 GiB, watts = 500 W }
gpu twice = large with { sms = 100, sms = 110 }
gpu linked = large with { link gpu[*] <-> leaf[*] { bandwidth = 1 GB/s } }
gpu wrong = large with { bandwidth = 4 TB, reserved = 200 GiB }
gpu small_memory = large with { memory = 0.1 GiB }
gpu number = 3

plan small {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1) with { memory = 141 GiB }
  costs = [roofline(large)]
}
