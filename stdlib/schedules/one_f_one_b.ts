// 1F1B (PipeDream-flush; Narayanan et al., arXiv 2006.09503): after min(p - 1 - s, m) forwards, one
// forward and one backward alternately. Bubble (p - 1)(F + B) as GPipe, but stage s holds only
// min(p - s, m) micro-batches. `sizes`: repeats of the model on each stage; `balanced`: cut where
// their times balance, as PipeDream's partitioner does; neither: as even as can be.
schedule one_f_one_b(p: Axis, m: Int, sizes: List[Int] = [], balanced: Bool = false) {
  stages p of sizes balanced if balanced
  at s in 0..p {
    let warm = min(p - 1 - s, m)
    for i in 0..warm { F(i) }
    for i in warm..m { F(i) B(i - warm) }
    for i in m - warm..m { B(i) }
  }
}

// Eager 1F1B (Zhuang et al., Alpa's cross-mesh resharding, arXiv 2211.05322): about twice the
// forwards before the first backward, so that a message has a whole micro-batch's time to arrive.
// Stage s holds min(2(p - s) - 1, m) micro-batches.
schedule eager_one_f_one_b(p: Axis, m: Int, sizes: List[Int] = []) {
  stages p of sizes
  at s in 0..p {
    let warm = min(2 * (p - 1 - s), m)
    for i in 0..warm { F(i) }
    for i in warm..m { F(i) B(i - warm) }
    for i in m - warm..m { B(i) }
  }
}
