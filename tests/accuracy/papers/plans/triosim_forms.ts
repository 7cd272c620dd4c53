// What TrioSim has closed forms for: rings, chains of stages, copies of operators. Layers take a stated time; links have one rate, but one
// may be slower.
import std.schedules.gpipe, std.precision

gpu unit {
  memory = 1 TiB
  bandwidth = 1 TB/s
  peak = { fp32: 1 TFLOP/s }
}

cluster ring(n: Int, rate: Rate, latency: Time, slow: Real) {
  device gpu[n]: unit
  switch center[1]
  for i in 0..n {
    link gpu[i] <-> center[0] { bandwidth = if i == 0 then rate / slow else rate, latency = latency / 2 }
  }
}

op stated_work(x: Tensor, elements: Int, us: Real) {
  weight w: [elements]
  output y: x.shape
  forward { kernel stated { us = us } }
  backward(input) { kernel stated { us = us } }
  backward(weight) { kernel stated { us = us } }
}
model chain(layers: Int, elements: Int, us: Real, words: Int) {
  x = input([batch, words], fp32)
  repeat layers as layer {
    x = stated_work(x, elements, us) as work
  }
}
strategy reduced(d: Axis) {
  rule it {
    match *
    before step: all_reduce(gradients, over: d, bucket: 1 TiB)
  }
}
fn stated_time(us: Real) -> Time = us * 1 us

plan forms(
  n: Int = 4,
  layers: Int = 4,
  elements: Int = 25_000_000,
  us: Real = 100.0,
  words: Int = 1,
  pp: Int = 1,
  chunks: Int = 1,
  rate: Rate = 50 GB/s,
  latency: Time = 0 us,
  slow: Real = 1.0,
) {
  model = chain(layers, elements, us, words)
  cluster = ring(n * pp, rate, latency, slow)
  mesh = { n, pp }
  apply = [reduced(n)]
  schedule = gpipe(p: pp, m: chunks)
  batch = { micro: 1, global: n * chunks }
  precision = full_precision()
  costs = [{ stated: stated_time }, roofline(unit)]
  network = [flow(algorithm: "ring")]
}
