// A `let` with a type is checked wherever it stands: one plan for each place.
import std.ops.nn, std.clusters.dgx

op twice(x: Tensor) {
  let n: Int = 2.0
  output y: x.shape
}

block narrow(x: Tensor) {
  let width: Int = "narrow"
  yield linear(x, out: width)
}

model of_ops() {
  x = input([batch, 28], fp32)
  y = twice(x) as twice
}

model of_blocks() {
  x = input([batch, 28], fp32)
  y = narrow(x) as narrow
}

model of_model() {
  let widths: List[Int] = [64, "wide"]
  x = input([batch, 28], fp32)
  y = linear(x, out: widths[0]) as first
}

model sound() {
  x = input([batch, 28], fp32)
  y = linear(x, out: 64) as first
}

strategy halves(t: Axis) {
  let dims: List[Int] = [t, 0.5]
}

schedule outside(p: Axis, m: Int) {
  let all: Int = 1.5
  stages p
  at s in 0..p {
    for i in 0..m { F(i) B(i) }
  }
}

schedule inside(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    let first: Bool = s
    for i in 0..m { F(i) B(i) }
  }
}

schedule chosen(p: Axis, m: Int) {
  stages p
  policy m at r in 0..p {
    let most: Int = "all"
    limit live <= p - r
    prefer B, F
  }
}

cluster pair() {
  let rate: Rate = 400 Gb
  device gpu[2]: a100_sxm_80g
  link gpu[*] <-> gpu[*] { bandwidth = rate }
}

plan op_(p: Int = 1) {
  model = of_ops(); cluster = dgx_a100(nodes: 1); mesh = { p }; costs = [roofline(a100_sxm_80g)]
}
plan block_(p: Int = 1) {
  model = of_blocks(); cluster = dgx_a100(nodes: 1); mesh = { p }; costs = [roofline(a100_sxm_80g)]
}
plan model_(p: Int = 1) {
  model = of_model(); cluster = dgx_a100(nodes: 1); mesh = { p }; costs = [roofline(a100_sxm_80g)]
}
plan cluster_(p: Int = 1) {
  model = sound(); cluster = pair(); mesh = { p }; costs = [roofline(a100_sxm_80g)]
}
plan strategy_(p: Int = 1) {
  model = sound(); cluster = dgx_a100(nodes: 1); mesh = { p }; apply = halves(p); costs = [roofline(a100_sxm_80g)]
}
plan outside_(p: Int = 1) {
  model = sound(); cluster = dgx_a100(nodes: 1); mesh = { p }; schedule = outside(p, m: 2); costs = [roofline(a100_sxm_80g)]
}
plan inside_(p: Int = 1) {
  model = sound(); cluster = dgx_a100(nodes: 1); mesh = { p }; schedule = inside(p, m: 2); costs = [roofline(a100_sxm_80g)]
}
plan policy_(p: Int = 1) {
  model = sound(); cluster = dgx_a100(nodes: 1); mesh = { p }; schedule = chosen(p, m: 2); costs = [roofline(a100_sxm_80g)]
}
