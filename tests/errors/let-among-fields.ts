import std.models.llama
plan p(x: Int = 1) {
  let y = x + 1
  model = llama3_8b()
}
