import std.models.gpt, std.clusters.dgx

plan circuits {
  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1024, seq: 128)
  cluster = dgx_a100(nodes: 2) with {
    link gpu[*, *] <-> leaf[*] { setup = 10 us }
  }
  costs = [roofline(a100_sxm_80g)]
}
