// Zero-bubble schedules (Qi et al., arXiv 2401.10241): the gradient of the weights, W, waits for nobody but the optimizer, so it fills bubbles.
import std.schedules.interleaved

// The V: chunk 0 runs down the ranks, chunk 1 back up.
fn v_shape(chunk: Int, rank: Int, ranks: Int) -> Int = if chunk == 0 then rank else 2 * ranks - 1 - rank

// ZB-H1 as PyTorch orders it (ScheduleInterleavedZeroBubble): 1F1B with I in the place of B and W r steps later on rank r. Holds p micro-batches on every rank,
// bubble (p - 1)(F + I - W). With several chunks the same on interleaved 1F1B.
schedule zb_1p(p: Axis, m: Int, v: Int = 1) {
  let g = interleaved_group(p, m)
  require m % g == 0, "micro-batches go in div(m, p) groups of equal size: choose m so that they do"
  stages p
  chunks v
  at r in 0..p {
    let total = m * v
    let warm = min((v - 1) * g + p - 1 - r, total)
    for n in 0..warm { F(next, interleaved_chunk(n, m, v, g)) }
    for n in 0..total {
      if n + warm < total { F(next, interleaved_chunk(n + warm, m, v, g)) }
      I(next, v - 1 - interleaved_chunk(n, m, v, g))
      if n >= r { W(next) }
    }
    for n in 0..min(r, total) { W(next) }
  }
}

// ZB-V for F = I = W, as PyTorch orders it (ScheduleZBVZeroBubble): no bubble but the start, memory of 1F1B.
schedule zb_v_fixed(p: Axis, m: Int) {
  stages p
  chunks 2 place v_shape
  at r in 0..p {
    let n = max(2 * p - 1, m)
    let steady = n - p
    let early = 2 * p - r - 1
    for i in 0..2 * (p - r) - 1 where i < m { F(i, 0) }
    for i in 0..r {
      if i < m { F(i, 1) }
      if 2 * (p - r) - 1 + i < m { F(2 * (p - r) - 1 + i, 0) }
    }
    for i in 0..p - r {
      if r + i < m { F(r + i, 1) }
      if i < m { I(i, 1) W(i, 1) }
    }
    for i in 0..steady {
      if early + i < m { F(early + i, 0) }
      if i < m { I(i, 0) W(i, 0) }
      if p + i < m { F(p + i, 1) }
      if p - r + i < m { I(p - r + i, 1) W(p - r + i, 1) }
    }
    for i in 0..r {
      if steady + i < m { I(steady + i, 0) }
      if n - r + i < m { I(n - r + i, 1) }
    }
    for i in 0..p - r {
      if steady + r + i < m { I(steady + r + i, 0) }
      if steady + i < m { W(steady + i, 0) }
    }
    for i in n - r..n where i < m { W(i, 1) }
    for i in n - r..n where i < m { W(i, 0) }
  }
}
