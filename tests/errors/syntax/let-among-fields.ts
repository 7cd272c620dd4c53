plan p(x: Int = 1) {
  let y = x + 1
  tokens = y
}
