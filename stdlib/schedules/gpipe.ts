// GPipe (Huang et al., arXiv 1811.06965): all forwards, then all backwards. Bubble (p - 1)(F + B); holds m micro-batches.
schedule gpipe(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    for i in 0..m { F(i) }
    for i in 0..m { B(i) }
  }
}
