// Also where it is a parameter of the schedule; `where` says the value of an outer name.
import std.models.gpt, std.clusters.dgx

let first = 0

schedule mine(p: Axis, m: Int) {
  stages p
  depend F(i) at first on F(i - 1) at first + 1
  depend F(m) at s on F(m - 1) at s where s == first
  depend F(i) at p - 1 on F(i - 1) at 0 where i > m
  partner F(i) at s with B(i) at s
  slow F(i) at i by 2
  slow F(i) at s by 2 where s == first
  at s in 0..p {
    for i in 0..m { F(i) }
    for i in 0..m { B(i) }
  }
}

plan small {
  model = gpt(layers: 8, hidden: 512, heads: 8, vocab: 1000, seq: 128)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = mine(p: pp, m: 4)
  costs = [roofline(a100_sxm_80g)]
}
