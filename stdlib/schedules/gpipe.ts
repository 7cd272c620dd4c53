// GPipe (Huang et al., arXiv 1811.06965): all forwards, then all backwards. Bubble (p - 1)(F + B);
// holds m micro-batches.
schedule gpipe(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  at s in 0..p {
    for i in 0..m { F(i) }
    for i in 0..m { B(i) }
  }
}

// Breadth-first (Lamy-Poirier, arXiv 2211.05953): GPipe over v chunks a rank, all micro-batches of
// a chunk before the next chunk; backward in the reverse order. The bubble of interleaved 1F1B,
// gradients of a chunk complete early, memory of GPipe.
schedule breadth_first(p: Axis, m: Int, v: Int = 1) {
  stages p
  chunks v
  at r in 0..p {
    for c in 0..v {
      for i in 0..m { F(i, c) }
    }
    for c in 0..v {
      for i in 0..m { B(m - 1 - i, v - 1 - c) }
    }
  }
}
