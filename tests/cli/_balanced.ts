// Ten equal layers and a head on eight stages of four ranks.
import std.schedules.interleaved, std.clusters.dgx, std.gpus.nvidia

op work(x: Tensor, time: Time) {
  weight w: [1]
  output y: x.shape
  forward { kernel stated { ps = time / 1 ps } }
  backward(input) { kernel stated { ps = time / 1 ps } }
  backward(weight) { kernel stated { ps = time / 1 ps } }
}

model uneven(head: Time) {
  x = input([1], bf16)
  repeat 10 as layer { x = work(x, 100 us) as work }
  x = work(x, head) as head
  yield x
}

fn stated(ps: Real) -> Time = ps * 1 ps

plan balanced(sizes: List[Int] = [], balanced: Bool = sizes == [], m: Int = 32, head: Time = 350 us) {
  model = uneven(head)
  cluster = dgx_h100(nodes: 1)
  mesh = { pp: 4 }
  schedule = interleaved_one_f_one_b(p: pp, m: m, v: 2, sizes: sizes, balanced: balanced)
  costs = [{ stated: stated }, roofline(h100_sxm)]
}
