// Chimera (Li and Hoefler, arXiv 2107.06925): two copies of the model, one down the ranks and one up; each direction is 1F1B on micro-batches of its own, and the backwards of one fill the
// gaps of the other. Bubble (p - 2) / (2 m + p - 2) where F and B take the same time. Holds p/2 + 1 to p micro-batches on a rank.
import std.schedules.dual_pipe

// m counts the micro-batches of both directions.
schedule chimera(p: Axis, m: Int) {
  require p % 2 == 0 and m % 2 == 0, "the two directions mirror each other: p and m must be even"
  stages p
  chunks 2 copies 2 place both_ways
  policy div(m, 2) at r in 0..p {
    limit live(0) <= min(div(p, 2), p - r)
    limit live(1) <= min(div(p, 2), r + 1)
    prefer B, F
  }
}
