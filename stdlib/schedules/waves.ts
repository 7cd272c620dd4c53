// Hanayo (Liu et al., arXiv 2308.15762): chunks in a zigzag, w waves of one way down the ranks and one up. 1F1B in priority: backward before forward, the deeper chunk first, or the older
// micro-batch, whichever is shorter. More waves, shorter bubble, more messages. At most `in_flight`
// micro-batches (0: p) are in flight.
fn zigzag(chunk: Int, rank: Int, ranks: Int) -> Int = chunk * ranks + (if chunk % 2 == 0 then rank else ranks - 1 - rank)

schedule hanayo(p: Axis, m: Int, waves: Int = 1, in_flight: Int = 0) {
  stages p
  chunks 2 * waves place zigzag
  policy m at r in 0..p {
    try wait in [0, 0.5, 1]
    try older in [0, 0.25, 0.5, 1, 2, 4]
    limit live(0) <= (if in_flight > 0 then in_flight else p)
    limit delay(F) <= wait
    prefer B(i, c) by older * i - c, F(i, c) by older * i + 2 * waves - c
  }
}
