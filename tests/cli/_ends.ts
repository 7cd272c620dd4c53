// Stages at both ends without a repeat: the embedding alone, the head and the loss alone.
import std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b

plan ends(sizes: List[Int] = [0, 2, 2, 0]) {
  model = gpt(layers: 4, hidden: 512, heads: 8, vocab: 8192, seq: 512)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = one_f_one_b(p: pp, m: 4, sizes: sizes)
  costs = [roofline(a100_sxm_80g)]
}
