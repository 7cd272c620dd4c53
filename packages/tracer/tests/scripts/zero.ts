// The modules of llama.py, one op each, with DeepSpeed's ZeRO over two ranks: zero.py in a plan. `enter` and `leave` are modules with others inside: DeepSpeed comes to them before these, forward and
// backward. Only the order and the bytes of calls are looked at.
import std.optimizers.adam, std.precision, std.strategies.deepspeed, std.clusters.dgx

op whole(x: Tensor, shape: List) { // a module with a weight of this shape
  weight w: shape
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy], writes = [dw] } }
}

op enter(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
}

op leave(x: Tensor) {
  output y: x.shape
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

block inside(x: Tensor, hidden: Int, heads: Int, kv_heads: Int, inner: Int) {
  let kv = div(hidden, heads) * kv_heads
  x = enter(x) as enter
  x = whole(x, [hidden]) as norm1
  x = enter(x) as attention.enter
  x = whole(x, [hidden, hidden]) as attention.wq
  x = whole(x, [kv, hidden]) as attention.wk
  x = whole(x, [kv, hidden]) as attention.wv
  x = whole(x, [hidden, hidden]) as attention.wo
  x = leave(x) as attention.leave
  x = whole(x, [hidden]) as norm2
  x = enter(x) as mlp.enter
  x = whole(x, [inner, hidden]) as mlp.gate
  x = whole(x, [inner, hidden]) as mlp.up
  x = whole(x, [hidden, inner]) as mlp.down
  x = leave(x) as mlp.leave
  yield leave(x) as leave
}

model modules(layers: Int, hidden: Int, heads: Int, kv_heads: Int, inner: Int, vocabulary: Int) {
  x = input([batch, 32], fp32)
  x = enter(x) as enter
  x = whole(x, [vocabulary, hidden]) as tokens
  repeat layers as blocks {
    x = inside(x, hidden, heads, kv_heads, inner)
  }
  x = whole(x, [hidden]) as norm
  x = whole(x, [vocabulary, hidden]) as head
  x = leave(x) as leave
}

plan zero(dp: Int = 2, use: Any = deepspeed_zero3(dp), m: Int = 1) {
  model = modules(layers: 4, hidden: 64, heads: 4, kv_heads: 2, inner: 128, vocabulary: 128)
  cluster = dgx_h100(nodes: 1)
  mesh = { dp }
  apply = [use]
  batch = { micro: 1, global: dp * m }
  precision = mixed(bf16, gradients: bf16)
  optimizer = adam()
  costs = [roofline(h100_sxm)]
}
