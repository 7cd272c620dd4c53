// Chimera (Li and Hoefler, arXiv 2107.06925): two copies of the model, one down the ranks and one
// up; each direction is 1F1B on micro-batches of its own, and the backwards of one fill the gaps of
// the other. Bubble (p - 2) / (2 m + p - 2) where F and B take the same time. Holds p/2 + 1 to p
// micro-batches on a rank.
import std.schedules.dual_pipe

// Slots by which a direction's 1F1B of p/2 micro-batches at a time needs them, F and B one slot
// each.
fn _forward(s: Int, i: Int) -> Int = s + 2 * i
fn _backward(p: Int, s: Int, i: Int) -> Int = 2 * p - 1 - s + 2 * i

// m counts the micro-batches of both directions.
schedule chimera(p: Axis, m: Int) {
  require p % 2 == 0 and m % 2 == 0, "the two directions mirror each other: p and m must be even"
  stages p
  chunks 2 copies 2 place both_ways
  policy div(m, 2) at r in 0..p {
    try forward_first in [0, 1]
    try wait in [0, 0.5, 1]
    try unit in [p, 2 * p]
    let s = [r, p - 1 - r]
    let h = div(p, 2)
    limit live(0) <= min(h, p - r)
    limit live(1) <= min(h, r + 1)
    limit delay(F) <= wait
    prefer B(i, c) key div(i, h) * unit + _backward(p, s[c], i % h) + 0.5 * forward_first, F(i, c) key div(i, h) * unit +
      _forward(s[c], i % h)
  }
}
