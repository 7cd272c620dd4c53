import std.ops.nn

model image(classes: Int = 1000) {
  x = input([batch, 1024], bf16)
  n = layernorm(x) as norm
  y = linear(n, out: classes) as fc
  loss = cross_entropy(y) as loss
}
