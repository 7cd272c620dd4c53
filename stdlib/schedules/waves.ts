// Chunks in a zigzag: down the ranks, back up, down again. Two of them are a V.
fn zigzag(chunk: Int, rank: Int, ranks: Int) -> Int = chunk * ranks + (if chunk % 2 == 0 then rank else ranks - 1 - rank)

// Hanayo (Liu et al., arXiv 2308.15762): chunks in a zigzag, w waves of one way down the ranks and
// one up. 1F1B in priority, by how far down the zigzag an item stands: a micro-batch enters every
// `pace` places, and its backward comes back at `back` places a step. More waves, shorter bubble,
// more messages: with m = p, B of twice F's time and messages of none about (2 p - 2) / (3 p w + p
// - 1) of the step. At most `in_flight` micro-batches (0: p) are in flight.
schedule hanayo(p: Axis, m: Int, waves: Int = 1, in_flight: Int = 0, sizes: List[Int] = []) {
  stages p of sizes
  chunks 2 * waves place zigzag
  policy m at r in 0..p {
    try pace in [2, 1, 3]
    try back in [2, 1, 3]
    try wait in [0, 0.5, 1]
    let end = 2 * waves * p
    let place = [zigzag(c, r, p) for c in 0..2 * waves]
    limit live(0) <= (if in_flight > 0 then in_flight else p)
    limit delay(F) <= wait
    prefer B(i, c) key pace * waves * i + end + back * (end - 1 - place[c]), F(i, c) key pace * waves * i + place[c]
  }
}
