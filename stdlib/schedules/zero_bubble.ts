// Zero-bubble schedules (Qi et al., arXiv 2401.10241): the gradient of the weights, W, waits for
// nobody but the optimizer, so it fills bubbles.
import std.schedules.interleaved, std.schedules.waves

// ZB-H1 as PyTorch orders it (ScheduleInterleavedZeroBubble): 1F1B with I in the place of B and W r
// steps later on rank r. Holds p micro-batches on every rank, bubble (p - 1)(F + I - W). With
// several chunks the same on interleaved 1F1B.
schedule zb_1p(p: Axis, m: Int, v: Int = 1, sizes: List[Int] = []) {
  let g = interleaved_group(p, m)
  require m % g == 0, "the `m` micro-batches go in groups of `g`, which is not less than `p`: let `g` divide `m`"
  stages p of sizes
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

// ZB-V for F = I = W, as PyTorch orders it (ScheduleZBVZeroBubble): no bubble but the start, memory
// of 1F1B.
schedule zb_v_fixed(p: Axis, m: Int) {
  stages p
  chunks 2 place zigzag
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

// ZB-H1 by its costs (the paper's automatic scheduler, as list scheduling): at most p micro-batches
// held on a rank. Forwards that have not come back are kept to 1F1B's number or one more, or not at
// all; F is preferred to I, or I to F; W waits for a gap unless it would delay the next item by no
// more than a half of it, or in any case; the shortest is kept.
schedule zb_h1(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  policy m at r in 0..p {
    try more in [0, 1, p]
    try first in [0, 2]
    try wait in [0.5, 1]
    try delay in [0, 0.5, 1]
    limit live <= p
    limit open <= p - r + more
    limit delay(W) <= delay
    limit delay(F) <= wait
    prefer I key 1, F key first, W key 3
  }
}

// ZB-H2: twice the memory, no bubble but the start.
schedule zb_h2(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  policy m at r in 0..p {
    try delay in [0, 0.5, 1]
    try wait in [0, 0.5, 1]
    limit live <= 2 * p
    limit delay(W) <= delay
    limit delay(F) <= wait
    prefer I, F, W
  }
}

// The automatic scheduler under a limit in bytes: as many forwards as their activations leave room
// for.
schedule zb_memory(p: Axis, m: Int, memory: Size, sizes: List[Int] = []) {
  stages p of sizes
  policy m at r in 0..p {
    try delay in [0, 0.5, 1]
    try wait in [0, 0.5, 1]
    limit memory <= memory
    limit delay(W) <= delay
    limit delay(F) <= wait
    prefer I, F, W
  }
}

// Slots of micro-batch 0 of a V whose waves advance `down` slots a rank on the way from rank 0 to
// the turn and `up` on the way back, as the building blocks of Qi et al., arXiv 2405.15362;
// micro-batch i comes 6 i slots later. `gap`: slots between the last forward and the first
// backward, `turn`: from backward to backward at the turn.
fn v_forward(p: Int, r: Int, c: Int, down: Int, up: Int) -> Int = if c == 0 then down * r else down * (p - 1) + 1 + up * (p - 1 - r)
fn v_backward(p: Int, r: Int, c: Int, down: Int, up: Int, gap: Int, turn: Int = 1) -> Int =
  (down + up) * (p - 1) + 2 + gap + (if c == 1 then down * r else down * (p - 1) + turn + up * (p - 1 - r))

// ZB-V by its costs: the memory of 1F1B, no bubble but the start. The building block of the
// controllable-memory paper, of any slopes that take 6 slots a rank together; or, better where
// there are few micro-batches, list scheduling by slots like these, which leaves one forward for
// chunk 1 to free the other's memory.
schedule zb_v(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  chunks 2 place zigzag
  policy m at r in 0..p {
    try down in [4, 3, 2, 5, 1]
    try gap in [0, 2, 1]
    let forward = [v_forward(p, r, 0, down, 6 - down), v_forward(p, r, 1, down, 6 - down)]
    let backward = [v_backward(p, r, 0, down, 6 - down, gap), v_backward(p, r, 1, down, 6 - down, gap)]
    limit live <= 2 * p
    slot F(i, c) at 6 * i + forward[c], I(i, c) at 6 * i + backward[c]
  }
  policy m at r in 0..p {
    try down in [3, 1, 2, 4]
    try up in [3, 1, 2]
    try gap in [1, 0, 2, 3]
    try delay in [0.5, 0, 1]
    let forward = [v_forward(p, r, 0, down, up), v_forward(p, r, 1, down, up)]
    let backward = [v_backward(p, r, 0, down, up, gap), v_backward(p, r, 1, down, up, gap)]
    limit F(i, c) <= 2 * p - 1 + c
    limit delay(F) <= 0
    limit delay(W) <= delay
    prefer I(i, c) key 6 * i + backward[c], F(i, c) key 6 * i + forward[c], W key 1e9
  }
}
