// DualPipe (DeepSeek-AI, arXiv 2412.19437; github.com/deepseek-ai/DualPipe): micro-batches enter at
// both ends of the pipeline, so every rank holds two stages and there are two copies of the model.
// The forward of one direction overlaps the backward of the other, communication of one behind
// computation of the other.
import std.schedules.waves

// Chunk 0 runs down the ranks, chunk 1, of the second copy, up.
fn both_ways(chunk: Int, rank: Int, ranks: Int) -> Int = if chunk == 0 then rank else ranks - 1 - rank

// m counts the micro-batches of both directions. `sizes`: repeats of the model on each stage; rank 0
// and the last one hold the first stage and the last, each a copy.
schedule dual_pipe(p: Axis, m: Int, sizes: List[Int] = []) {
  require p % 2 == 0 and m % 2 == 0, "the two directions mirror each other: p and m must be even"
  require m >= 2 * p, "each direction needs as many micro-batches as there are ranks: m must be at least 2 p"
  stages p of sizes
  chunks 2 copies 2 place both_ways
  at r in 0..p {
    let h = div(p, 2)
    let q = min(r, p - 1 - r)
    let a = if r < h then 0 else 1
    let b = 1 - a
    for i in 0..2 * (h - q - 1) { F(next, a) }
    for i in 0..q + 1 { F(next, a) F(next, b) }
    for i in 0..h - q - 1 { I(next, b) W(next) F(next, b) }
    for i in 0..div(m, 2) - p + q + 1 {
      if i == 0 and q == h - 1 {
        F(next, a)
        B(next, b)
      } else {
        pair F(next, a) with B(next, b)
      }
      pair F(next, b) with B(next, a)
    }
    for i in 0..h - q - 1 {
      B(next, b)
      pair F(next, b) with B(next, a)
    }
    let whole = div(q + 1, 2)
    for i in 0..q + 1 {
      if i < whole or (i == whole and q % 2 == 0) { B(next, b) } else { I(next, b) }
      if i < whole { B(next, a) } else { I(next, a) }
    }
    for i in 0..h - q - 1 { W(next) I(next, a) }
    for i in 0..q + 1 { W(next) }
  }
}

// DualPipeV ("cut in half", Sea AI Lab): the same on a V, with one copy of the model on half the
// ranks. `sizes`: repeats on each of its 2 p stages.
schedule dual_pipe_v(p: Axis, m: Int, sizes: List[Int] = []) {
  require m >= 2 * p, "the overlapped phase needs m to be at least 2 p"
  stages p of sizes
  chunks 2 place zigzag
  at r in 0..p {
    for i in 0..2 * (p - r - 1) { F(next, 0) }
    for i in 0..r + 1 { F(next, 0) F(next, 1) }
    for i in 0..p - r - 1 { I(next, 1) W(next) F(next, 1) }
    for i in 0..m - 2 * p + r + 1 {
      if i == 0 and r == p - 1 {
        F(next, 0)
        B(next, 1)
      } else {
        pair F(next, 0) with B(next, 1)
      }
      pair F(next, 1) with B(next, 0)
    }
    for i in 0..p - r - 1 {
      B(next, 1)
      pair F(next, 1) with B(next, 0)
    }
    let whole = div(r + 1, 2)
    for i in 0..r + 1 {
      if i < whole or (i == whole and r % 2 == 0) { B(next, 1) } else { I(next, 1) }
      if i < whole { B(next, 0) } else { I(next, 0) }
    }
    for i in 0..p - r - 1 { W(next) I(next, 0) }
    for i in 0..r + 1 { W(next) }
  }
}
