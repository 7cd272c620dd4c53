plan a() {
  apply = (x, y]
  mesh = { tp: 2 }
}
plan b() {
  apply = (x, y)
}
plan c() {
  apply = [x, y] // its last line
