// Hanayo (Liu et al., arXiv 2308.15762): chunks in a zigzag, w waves of one way down the ranks and one up. 1F1B in priority: backward before forward, the deeper chunk first. More waves,
// shorter bubble, more messages. At most p micro-batches are in flight.
fn zigzag(chunk: Int, rank: Int, ranks: Int) -> Int = chunk * ranks + (if chunk % 2 == 0 then rank else ranks - 1 - rank)

schedule hanayo(p: Axis, m: Int, waves: Int = 1) {
  stages p
  chunks 2 * waves place zigzag
  policy m at r in 0..p {
    limit live(0) <= p
    prefer B(i, c) by -c, F(i, c) by 2 * waves - c
  }
}
