// Operators as eager frameworks run them one by one: what traced tables list beside the ops of
// std.ops.nn.

// Elements moved or seen with another shape. `follow[i]` are the dimensions of x that dimension i
// of y is made of, so y shrinks where x is split. A view launches nothing; a copy (`copies`) is a
// kernel.
fn _product_of(shape: List[Int], dims: List[Int]) -> Int =
  (if len(dims) > 0 then shape[dims[0]] else 1) * (if len(dims) > 1 then shape[dims[1]] else 1) *
  (if len(dims) > 2 then shape[dims[2]] else 1) * (if len(dims) > 3 then shape[dims[3]] else 1)

op moved(x: Tensor, shape: List[Int], follow: List[Any], whole: List[Int], copies: Bool, copies_back: Bool) {
  output y: [div(shape[i] * _product_of(x.shape, follow[i]), _product_of(whole, follow[i])) for i in 0..len(shape)]
  forward { kernel elementwise if copies { reads = [y], writes = [y] } }
  backward(input) { kernel elementwise if copies_back { reads = [dy], writes = [dy] } }
}

// The same elements, maybe in another format.
op cast(x: Tensor, copies: Bool, copies_back: Bool) {
  output y: x.shape
  forward { kernel elementwise if copies { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise if copies_back { reads = [dy], writes = [dx] } }
}

// Element by element over tensors that are broadcast against each other.
fn _extent_of(xs: List[Tensor], back: Int) -> Int = max([if len(x.shape) >= back then x.shape[len(x.shape) - back] else 1 for x in xs])
fn _broadcast(xs: List[Tensor]) -> List[Int] = [
  _extent_of(xs, max([len(x.shape) for x in xs]) - i) for i in 0..max([len(x.shape) for x in xs])
]

// Its gradient is that of its output: a sum, a difference.
op sum_of_tensors(xs: List[Tensor]) {
  output y: _broadcast(xs)
  forward { kernel elementwise { reads = xs, writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dy] } }
}

// Its gradient needs what it read.
op pointwise(xs: List[Tensor]) {
  output y: _broadcast(xs)
  forward { kernel elementwise { reads = xs, writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, xs], writes = [dy] } }
  saves xs
}

// By a number; its gradient too.
op scaled(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// Its gradient needs its result: tanh, sigmoid.
op squashed(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}

// The tanh form of GELU as eight kernels: 0.5 x (1 + tanh(a (x + b x^3))). Kept are x, the tanh and
// both factors of the last product.
op gelu_by_parts(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x, x, x, x, x, x, x, x, x, x], writes = [y, y, y, y, y, y, y, y] } }
  backward(input) { kernel elementwise { reads = [dy, x, x, x, x, x, x], writes = [dx, dx, dx, dx, dx] } }
  saves [x, bytes(y), bytes(y), bytes(y)]
}

// Over the last dimension.
op softmax(x: Tensor) {
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}

// y[.., m, n] = a[.., m, k] b[.., k, n]: torch.matmul, torch.bmm.
op batched_matmul(a: Tensor, b: Tensor) {
  let r = len(a.shape)
  let m = a.shape[r - 2]
  let k = a.shape[r - 1]
  let n = last(b.shape)
  output y: with_last(a.shape, n)
  contracts a dim -1
  contracts b dim -2
  let work = 2 * numel(y) * k
  let products = div(numel(y), m * n)
  forward { kernel gemm { count = products, m = m, n = n, k = k, flops = work, reads = [a, b], writes = [y] } }
  backward(input) {
    kernel gemm { count = products, m = m, n = k, k = n, flops = work, reads = [dy, b], writes = [da] }
    kernel gemm { count = products, m = k, n = n, k = m, flops = work, reads = [dy, a], writes = [db] }
  }
  saves [a, b]
}

// A product with a weight that another op owns: the head that shares the table of the embedding,
// which is the first op labelled `table` with a weight as large.
op tied_linear(x: Tensor, out: Int, table: Label = "*") {
  weight w: [out, last(x.shape)]
  tie w with table
  output y: with_last(x.shape, out)
  contracts x dim -1
  let work = 2 * numel(y) * last(x.shape)
  forward { kernel gemm { m = rows(y), n = out, k = last(x.shape), flops = work, reads = [x, w], writes = [y] } }
  backward(input) {
    kernel gemm { m = rows(y), n = last(x.shape), k = out, flops = work, reads = [dy, w], writes = [dx] }
    kernel gemm { m = out, n = last(x.shape), k = rows(y), flops = work, reads = [dy, x], writes = [dw] }
  }
  saves [x]
}

// A table of parameters read by position: positions, token types.
op lookup(ids: Tensor, rows: Int, width: Int) {
  weight w: [rows, width]
  output y: ids.shape + [width]
  forward { kernel elementwise { reads = [bytes(y)], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy], writes = [dw] } }
}

// An operator of which nothing is known but its shapes.
op opaque(xs: List[Tensor], shape: List[Int], follow: List[Any], whole: List[Int]) {
  output y: [div(shape[i] * _product_of(xs[0].shape, follow[i]), _product_of(whole, follow[i])) for i in 0..len(shape)]
  forward { kernel elementwise { reads = xs, writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = xs } }
  saves xs
}

// A pool whose window is not stated: what the image shrinks to.
op pool(x: Tensor, shape: List[Int]) {
  output y: [x.shape[0], x.shape[1], shape[2], shape[3]]
  whole x dim 2
  whole x dim 3
  forward { kernel elementwise { reads = [x], writes = [y, 8 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 8 B * numel(y)], writes = [dx] } }
  saves [8 B * numel(y)]
}

// The mean over the batch of the cross entropy.
op mean_cross_entropy(x: Tensor, target: Tensor) {
  output y: [1]
  contracts x dim 0
  contracts target dim 0
  forward { kernel elementwise { reads = [x], writes = [x] } }
  backward(input) { kernel elementwise { reads = [x], writes = [dx] } }
  saves [x]
}

// The mean over the batch of what stands at the target, of logarithms of probabilities.
op mean_at_target(x: Tensor, target: Tensor) {
  output y: [1]
  contracts x dim 0
  contracts target dim 0
  forward { kernel elementwise { reads = [target], writes = [y] } }
  backward(input) { kernel elementwise { reads = [target], writes = [dx] } }
}

// Element by element with weights of the op's own, `held` elements in all: a bias, a scale.
op weighted(xs: List[Tensor], held: Int) {
  weight w: [held]
  output y: _broadcast(xs)
  forward { kernel elementwise { reads = [xs, w], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, w], writes = xs } }
  backward(weight) { kernel elementwise { reads = [dy, xs], writes = [dw] } }
  saves xs
}

// An operator of which nothing is known but its shapes, with `held` elements of weights.
op opaque_weighted(xs: List[Tensor], shape: List[Int], follow: List[Any], whole: List[Int], held: Int) {
  weight w: [held]
  output y: [div(shape[i] * _product_of(xs[0].shape, follow[i]), _product_of(whole, follow[i])) for i in 0..len(shape)]
  forward { kernel elementwise { reads = [xs, w], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, w], writes = xs } }
  backward(weight) { kernel elementwise { reads = [dy, xs], writes = [dw] } }
  saves xs
}

// Attention that never writes the scores, of queries, keys and values apart: [batch, heads,
// sequence, width], or [batch, sequence, heads, width] where `heads_last`.
op separate_attention(q: Tensor, k: Tensor, v: Tensor, causal: Bool = false, heads_last: Bool = false) {
  let h = if heads_last then 2 else 1
  let heads = q.shape[h]
  let kv_heads = k.shape[h]
  let queries = q.shape[3 - h]
  let keys = k.shape[3 - h]
  let seq = if keys == queries then queries else round(sqrt(queries * keys))
  let head_dim = last(q.shape)
  output y: with_last(q.shape, last(v.shape))
  let product = q.shape[0] * heads * (if causal and keys == queries then queries * keys else 2 * queries * keys)
  require len(q.shape) == 4 and len(k.shape) == 4 and len(v.shape) == 4, "samples, heads, a sequence and a width"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size"
  whole k dim 3
  whole q dim 3
  forward {
    kernel attention {
      batch = q.shape[0]
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = if causal then 1 else 0
      flops = product * (head_dim + last(v.shape))
      reads = [q, k, v]
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward {
      batch = q.shape[0]
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = if causal then 1 else 0
      flops = product * (3 * head_dim + 2 * last(v.shape))
      reads = [q, k, v, y, dy]
      writes = [dq, dk, dv]
    }
  }
  saves [q, k, v, y, 4 B * q.shape[0] * heads * queries]
}
