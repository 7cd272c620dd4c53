// Operators of words in several streams (AltUp, Baykal et al., NeurIPS 2023), of which a layer works on the first and corrects
// the others, as Gemma 3n has them: [.., streams * hidden]; and of embeddings of each layer.

// What the streams will be, a mix of them by coefficients that the first one chooses.
op predict_streams(x: Tensor, streams: Int) {
  let hidden = div(last(x.shape), streams)
  weight r: [streams, hidden]
  weight g: [hidden]
  weight c: [streams * streams, streams]
  output y: x.shape
  let first = bytes(x) / streams
  let chosen = 2 * rows(x) * streams * (hidden + streams * streams)
  require streams >= 2 and last(x.shape) % streams == 0, "`streams` are 2 or more, of equal width"
  whole x dim -1
  forward {
    kernel elementwise { reads = [first], writes = [first] }
    kernel gemm { m = rows(x), n = streams, k = hidden, flops = chosen, reads = [first, r], writes = [bytes(x.dtype) * rows(x) * streams] }
    kernel elementwise { reads = [x, x], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, x], writes = [dx] }
    kernel gemm { m = rows(x), n = hidden, k = streams, flops = chosen, reads = [bytes(x.dtype) * rows(x) * streams, r], writes = [first] }
  }
  backward(weight) {
    kernel gemm { m = streams, n = hidden, k = rows(x), flops = chosen, reads = [first], writes = [dr, dg, dc] }
  }
  saves [x]
}

// All streams corrected by how far the first one's outcome is off what it was predicted to be. The router is that of
// `predict_streams`.
op correct_streams(p: Tensor, outcome: Tensor, streams: Int) {
  let hidden = last(outcome.shape)
  weight c: [streams, streams]
  output y: p.shape
  let chosen = 2 * rows(p) * streams * (hidden + streams)
  whole p dim -1
  whole outcome dim -1
  forward {
    kernel elementwise { reads = [outcome], writes = [outcome] }
    kernel gemm {
      m = rows(p)
      n = streams
      k = hidden
      flops = chosen
      reads = [outcome]
      writes = [bytes(p.dtype) * rows(p) * streams]
    }
    kernel elementwise { reads = [p, outcome], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, p, outcome], writes = [dp, doutcome] }
    kernel gemm { m = rows(p), n = hidden, k = streams, flops = chosen, reads = [bytes(p.dtype) * rows(p) * streams], writes = [doutcome] }
  }
  backward(weight) { kernel gemm { m = streams, n = hidden, k = rows(p), flops = chosen, reads = [outcome], writes = [dc] } }
  saves [p, outcome]
}

// A stream, or the part of a layer; a view.
op part_of(x: Tensor, width: Int) {
  output y: with_last(x.shape, width)
  require last(x.shape) % width == 0, "parts are of equal width"
  whole x dim -1
}

// y added to all streams but the first.
op add_to_others(x: Tensor, y: Tensor) {
  output z: x.shape
  whole x dim -1
  whole y dim -1
  forward { kernel elementwise { reads = [bytes(x) - bytes(y), y], writes = [bytes(x) - bytes(y)] } }
  backward(input) { kernel elementwise { reads = [bytes(x) - bytes(y)], writes = [dy] } }
}

// One of several streams: the first, and of each other a product of its own; their mean.
op join_streams(x: Tensor, streams: Int) {
  let hidden = div(last(x.shape), streams)
  weight w: [(streams - 1) * hidden, hidden]
  output y: with_last(x.shape, hidden)
  let work = 2 * rows(x) * (streams - 1) * hidden * hidden
  whole x dim -1
  forward {
    kernel gemm { count = streams - 1, m = rows(x), n = hidden, k = hidden, flops = work, reads = [x, w], writes = [bytes(x)] }
    kernel elementwise { reads = [x], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy], writes = [dx] }
    kernel gemm { count = streams - 1, m = rows(x), n = hidden, k = hidden, flops = work, reads = [dx, w], writes = [dx] }
  }
  backward(weight) {
    kernel gemm { count = streams - 1, m = hidden, n = hidden, k = rows(x), flops = work, reads = [dx, x], writes = [dw] }
  }
  saves [x]
}

// RMS norm of parts of a word, with weights for one part.
op part_norm(x: Tensor, width: Int) {
  weight g: [width]
  output y: x.shape
  require last(x.shape) % width == 0, "parts are of equal width"
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dg] } }
  saves [x]
}

// gelu(gate) * value.
op gated_gelu(gate: Tensor, value: Tensor) {
  output y: gate.shape
  forward { kernel elementwise { reads = [gate, value], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, gate, value], writes = [dgate, dvalue] } }
  saves [gate, value]
}

// Attention of queries to the keys and values that an earlier layer made, and keeps.
op borrowing_attention(q: Tensor, heads: Int, kv_heads: Int, head_dim: Int, window: Int = 0) {
  output y: q.shape
  let batch = q.shape[0]
  let seq = q.shape[1]
  let cut = window > 0 and window < seq
  let met = if cut then window * (2 * seq - window) else seq * seq
  let held = bytes(q.dtype) * batch * seq * 2 * kv_heads * head_dim
  let work = batch * heads * head_dim * met
  require min(heads, kv_heads, head_dim) >= 1 and last(q.shape) == heads * head_dim, "`q` holds all heads, of 1 element or more"
  whole q dim 1
  forward {
    kernel attention {
      batch = if cut then ceil_div(batch * seq, window) else batch
      seq = if cut then window else seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = 1
      flops = 2 * work
      reads = [q, held]
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward {
      batch = if cut then ceil_div(batch * seq, window) else batch
      seq = if cut then window else seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = 1
      flops = 5 * work
      reads = [q, held, y, dy]
      writes = [dq, held]
    }
  }
  saves [q, y, 4 B * batch * heads * seq]
}
