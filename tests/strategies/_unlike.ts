// Stages on two kinds of devices, which may be of any speed, or made slow by clauses.
import std.models.gpt, std.gpus.nvidia, std.schedules.zero_bubble, std.strategies.data, std.precision, std.costs.sources

cluster two_kinds() {
  device fast[2]: h100_sxm
  device slow[2]: a100_sxm_80g
  switch s[1]
  for g in 0..2 {
    link fast[g] <-> s[0] { bandwidth = 50 GB/s, latency = 2 us }
    link slow[g] <-> s[0] { bandwidth = 50 GB/s, latency = 2 us }
  }
}

let h100_time = { gemm: of_h100, attention: of_h100, attention_backward: of_h100, elementwise: of_h100 }
let a100_time = { gemm: of_a100, attention: of_a100, attention_backward: of_a100, elementwise: of_a100 }
fn of_h100() = 10 us
fn of_a100() = 30 us

schedule balanced_stages(p: Axis, m: Int, late: Real = 1) {
  stages p balanced
  at s in 0..p {
    for i in 0..min(m, p - s) { F(i) }
    for i in 0..m - (p - s) { B(i) F(i + p - s) }
    for i in max(m - (p - s), 0)..m { B(i) }
  }
  slow F(i) at s by late where s < 1
  slow B(i) at s by late where s < 1
}

protocol late_half {
  slow F(i) at s by 3 where s > 1
  slow I(i) at s by 3 where s > 1
  slow W(i) at s by 3 where s > 1
}

plan unlike(
  costs: List = on(h100_sxm, [h100_time]) + on(a100_sxm_80g, [a100_time]),
  speed: Real = 1,
  late: Real = 1,
  dp: Int = 1,
  policy: Bool = false,
  slowed: Bool = false,
) {
  model = gpt(layers: 16, hidden: 1024, heads: 8, vocab: 1024, seq: 1024)
  cluster = two_kinds() with { slow[*] { speed = speed } }
  mesh = { dp, pp: 4 / dp }
  apply = [data_parallel(dp)]
  schedule = if policy then zb_h2(p: pp, m: 8) else balanced_stages(p: pp, m: 8, late: late)
  protocols = if slowed then late_half else none
  batch = { micro: dp }
  precision = mixed(bf16)
  costs = costs
}
