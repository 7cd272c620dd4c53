# `balanced` makes the busiest stage as short as can be, even where another division is more even by its squares: of layers that take 1, 9, 4 and 4 on three stages the busiest takes 9, not 10.
cat >"$scratch/plan.ts" <<'END'
import std.schedules.one_f_one_b, std.clusters.dgx, std.gpus.nvidia
op work(x: Tensor, time: Time) {
  weight w: [1]
  output y: x.shape
  forward { kernel stated { ps = time / 1 ps } }
  backward(input) { kernel stated { ps = time / 1 ps } }
  backward(weight) { kernel stated { ps = time / 1 ps } }
}
model uneven() {
  x = input([1], bf16)
  repeat 4 as layer { x = work(x, 100 us) as work }
  yield x
}
strategy times() {
  rule second {
    match work where unit == 1
    set time = 900 us
  }
  rule others {
    match work where unit >= 2
    set time = 400 us
  }
}
fn stated(ps: Real) -> Time = ps * 1 ps
plan small(sizes: List[Int] = []) {
  model = uneven()
  cluster = dgx_h100(nodes: 1)
  mesh = { pp: 3 }
  apply = [times()]
  schedule = one_f_one_b(p: pp, m: 100, sizes: sizes, balanced: sizes == [])
  costs = [{ stated: stated }, roofline(h100_sxm)]
}
END
for sizes in '[]' '[1, 1, 2]' '[2, 1, 1]' '[1, 2, 1]'; do tsrun -D "sizes=$sizes" "$scratch/plan.ts" 2>&1 | sed -n "s/^  step time */$sizes /p; /^error/p"; done
