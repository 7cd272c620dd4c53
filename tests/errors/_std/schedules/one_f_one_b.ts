schedule one_f_one_b(p: Axis, m: Int) {
  stages p
  at s in 0..p {
    let warm = min(p - 1 - s, m)
    for i in 0..warm { F(i) }
    for i in warm..m { F(i) B(i - warm) }
    for i in m - warm..m { B(i) }
  }
}
