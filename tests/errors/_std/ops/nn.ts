op linear(x: Tensor, out: Int, bias: Bool = false, tied: Bool = false) {
  weight w: [out, last(x.shape)] if not tied
  weight b: [out] if bias
  output y: with_last(x.shape, out)
  contracts x dim -1
  forward {
    kernel gemm { m = rows(y), n = last(y.shape), k = last(x.shape), flops = 2 * numel(y) * last(x.shape), reads = [x, w], writes = [y] }
    kernel elementwise if bias { reads = [y, b], writes = [y] }
  }
  backward(input) {
    kernel gemm { m = rows(y), n = last(x.shape), k = last(y.shape), flops = 2 * numel(y) * last(x.shape), reads = [dy, w], writes = [dx] }
  }
  backward(weight) {
    kernel gemm { m = last(y.shape), n = last(x.shape), k = rows(y), flops = 2 * numel(y) * last(x.shape), reads = [dy, x], writes = [dw] }
    kernel elementwise if bias { reads = [dy], writes = [db] }
  }
  saves [x]
}

op embedding(ids: Tensor, vocab: Int, hidden: Int) {
  weight w: [vocab, hidden]
  output y: ids.shape + [hidden]
  contracts w dim 0
  forward { kernel elementwise { reads = [ids, bytes(y)], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy, ids], writes = [dw] } }
  saves [ids]
}

op position_embedding(x: Tensor, seq: Int) {
  weight w: [seq, last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, w], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy], writes = [dw] } }
}

op layernorm(x: Tensor) {
  weight g: [last(x.shape)]
  weight b: [last(x.shape)]
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x, g, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, g], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dg, db] } }
  saves [x, 8 B * rows(x)]
}

op bias_gelu(x: Tensor) {
  weight b: [last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, b], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dx], writes = [db] } }
  saves [x]
}

op add(a: Tensor, b: Tensor) {
  output y: a.shape
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
}

op bias_dropout_add(x: Tensor, residual: Tensor) {
  weight b: [last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, b, residual], writes = [y, 1 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 1 B * numel(y)], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dx], writes = [db] } }
  saves [1 B * numel(y)]
}

op dropout(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y, 1 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 1 B * numel(y)], writes = [dx] } }
  saves [1 B * numel(y)]
}

op core_attention(qkv: Tensor, heads: Int, head_dim: Int) {
  output y: with_last(qkv.shape, heads * head_dim)
  let batch = qkv.shape[0]
  let seq = qkv.shape[1]
  let scores = 2 B * batch * heads * seq * seq
  let mask = 1 B * batch * heads * seq * seq
  let head = 2 B * batch * heads * seq * head_dim
  let work = 2 * batch * heads * seq * seq * head_dim
  whole qkv dim 1
  forward {
    kernel gemm { count = batch * heads, m = seq, n = seq, k = head_dim, flops = work, reads = [2 * head], writes = [scores] }
    kernel elementwise { reads = [scores], writes = [scores] }
    kernel elementwise { reads = [scores], writes = [scores, mask] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, head], writes = [y] }
  }
  backward(input) {
    kernel gemm { count = batch * heads, m = seq, n = seq, k = head_dim, flops = work, reads = [head, dy], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, dy], writes = [head] }
    kernel elementwise { reads = [scores, mask], writes = [scores] }
    kernel elementwise { reads = [2 * scores], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, head], writes = [head] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, head], writes = [head] }
  }
  saves [qkv, 2 * scores, mask]
}

op cross_entropy(x: Tensor) {
  output y: [rows(x)]
  contracts x dim -1
  let logits = 4 B * numel(x)
  forward {
    kernel elementwise { reads = [x], writes = [logits] }
    kernel elementwise { reads = [logits] }
    kernel elementwise { reads = [logits], writes = [logits, y] }
  }
  backward(input) {
    kernel elementwise { reads = [logits], writes = [logits] }
    kernel elementwise { reads = [logits], writes = [dx] }
  }
  saves [logits]
}
