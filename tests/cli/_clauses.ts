// A schedule with a named clause, and a plan that replaces it.
import std.schedules.one_f_one_b, std.clusters.dgx, std.ops.nn

schedule with_token(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    for i in 0..m { F(i) B(i) }
  }
  depend token: F(i) at s on B(i - 1) at s + 1 sending 1 kB where i > 0
}

protocol farther {
  depend token: F(i) at s on B(i - 1) at s - 2 sending 2 kB where i > 0
}

model two_layers(layers: Int) {
  x = input([64, 64], bf16)
  repeat layers as layer { x = linear(x, out: 64) as up }
  yield x
}

plan rules_change(change: Bool = false) {
  model = two_layers(layers: 4)
  cluster = dgx_a100(nodes: 1)
  mesh = { pp: 4 }
  schedule = with_token(p: pp, m: 3)
  protocols = if change then [farther] else []
  costs = [roofline(a100_sxm_80g)]
}
