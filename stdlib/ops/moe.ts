// Mixtures of experts (Shazeer et al., arXiv 1701.06538; Lepikhin et al., arXiv 2006.16668). A router picks `top` experts for each token; `dispatch` sorts
// copies of the tokens by expert into [experts, copies, hidden]; each expert works on its own; `combine` adds up what comes back.
//
// Spread over ranks, all wait for the fullest. `load` says how much more than the mean it has; it is 1 where a router is balanced, and with a capacity at
// most that. Work, memory and what travels follow it: a rank of the program is the fullest one.
import std.ops.nn

// The product with the router's weights is done in fp32, then softmax and the choice of the best.
op router(x: Tensor, experts: Int, top: Int) {
  param w: [experts, last(x.shape)]
  output y: with_last(x.shape, top) dtype fp32
  let logits = 4 B * rows(x) * experts
  let work = 2 * numel(x) * experts
  whole x dim -1
  forward {
    kernel gemm { m = rows(x), n = experts, k = last(x.shape), flops = work, dtype = fp32, reads = [x, w], writes = [logits] }
    kernel elementwise { reads = [logits], writes = [logits, y] }
  }
  backward(input) {
    kernel elementwise { reads = [logits, dy], writes = [logits] }
    kernel gemm { m = rows(x), n = last(x.shape), k = experts, flops = work, dtype = fp32, reads = [logits, w], writes = [dx] }
  }
  backward(weight) {
    kernel gemm { m = experts, n = last(x.shape), k = rows(x), flops = work, dtype = fp32, reads = [logits, x], writes = [dw] }
  }
  saves [x, logits]
}

// Copies of the tokens, sorted by expert.
op dispatch(x: Tensor, experts: Int, top: Int, load: Real = 1) {
  output y: [experts, ceil(rows(x) * top * load / experts), last(x.shape)]
  whole x dim -1
  forward { kernel elementwise { reads = [y], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// y[e] = x[e] w[e]^T: the products of all experts a rank has in one launch, `grouped_gemm` with the features of `gemm` and their `count`.
op expert_linear(x: Tensor, out: Int, quantized: Bool = false) {
  param w: [x.shape[0], out, last(x.shape)]
  output y: with_last(x.shape, out)
  let cast = 1 B * numel(x)
  let cast_gradient = 1 B * numel(y)
  let weight = if quantized then 1 B * numel(w) else bytes(w)
  let number = if quantized then fp8 else x.dtype
  let count = x.shape[0]
  let copies = x.shape[1]
  let work = 2 * numel(y) * last(x.shape)
  contracts x dim -1
  forward {
    kernel elementwise if quantized { reads = [x], writes = [cast] }
    kernel grouped_gemm {
      count = count
      m = copies
      n = last(y.shape)
      k = last(x.shape)
      dtype = number
      flops = work
      reads = [if quantized then cast else bytes(x), weight]
      writes = [y]
    }
  }
  backward(input) {
    kernel elementwise if quantized { reads = [dy], writes = [cast_gradient] }
    kernel grouped_gemm {
      count = count
      m = copies
      n = last(x.shape)
      k = last(y.shape)
      dtype = number
      flops = work
      reads = [if quantized then cast_gradient else bytes(dy), weight]
      writes = [dx]
    }
  }
  backward(weight) {
    kernel grouped_gemm {
      count = count
      m = last(y.shape)
      n = last(x.shape)
      k = copies
      dtype = number
      flops = work
      reads = if quantized then [cast_gradient, cast] else [dy, x]
      writes = [dw]
    }
  }
  saves [x] if not quantized
  saves [cast] if quantized
}

// What the experts made of each token's copies, weighted by the router's `gates` and added.
op combine(x: Tensor, gates: Tensor) {
  output y: with_last(gates.shape, last(x.shape)) dtype x.dtype
  whole x dim -1
  forward { kernel elementwise { reads = [x, gates], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, gates], writes = [dx, dgates] } }
  saves [x, gates]
}

// One layer's experts: gated products as in std.models.llama, a `shared` one of its own width beside them if there is any.
block experts(x: Tensor, experts: Int, top: Int, ffn: Int, shared: Int = 0, load: Real = 1) {
  let hidden = last(x.shape)
  gates = router(x, experts: experts, top: top) as router
  sent = dispatch(x, experts: experts, top: top, load: load) as dispatch
  u = expert_linear(sent, out: 2 * ffn) as experts.up
  g = swiglu(u) as experts.act
  d = expert_linear(g, out: hidden) as experts.down
  y = combine(d, gates) as combine
  if shared > 0 {
    su = linear(x, out: 2 * shared) as shared.up
    sg = swiglu(su) as shared.act
    sd = linear(sg, out: hidden) as shared.down
    y = add(y, sd) as shared.sum
  }
  yield y
}

// The fullest of `ranks` ranks over the mean, when the experts, dealt out in order, get these numbers of tokens. In sixteenths, so that shapes stay whole.
fn load_of(counts: List, ranks: Int) -> Real = ceil(
  16.0 * ranks * max([sum([counts[r * div(len(counts), ranks) + k] for k in 0..div(len(counts), ranks)]) for r in 0..ranks]) / sum(counts),
) / 16.0

// The same of experts whose popularity falls as 1 / rank^s (Zipf's law), the popular ones together: the worst case.
fn zipf(experts: Int, ranks: Int, s: Real = 1) -> Real = load_of([pow(i + 1, -s) for i in 0..experts], ranks)
