// Operators as Megatron-LM and Transformer Engine fuse them, and what each keeps for the backward.
// Dropout of 0 keeps no mask; a bias is there or not.
import std.ops.nn

// Residual + dropout(x + bias), in one kernel.
op residual(x: Tensor, residual: Tensor, bias: Bool = true, dropout: Real = 0) {
  weight b: [last(x.shape)] if bias
  output y: x.shape
  let mask = if dropout > 0 then 1 B * numel(y) else 0 B
  forward { kernel elementwise { reads = [x, residual], writes = [y, mask] } }
  backward(input) { kernel elementwise if dropout > 0 { reads = [dy, mask], writes = [dx] } }
  backward(weight) { kernel elementwise if bias { reads = [dx], writes = [db] } }
  saves [mask]
}

// An activation with the bias of the product before it. `gated`: two halves of which one gates the
// other. `kept`: so many tensors of the size of x are saved, one where the activation is fused,
// more where each step of it is a kernel.
op activation(x: Tensor, gated: Bool = false, bias: Bool = true, kept: Int = 1) {
  weight b: [last(x.shape)] if bias
  output y: if gated then with_last(x.shape, div(last(x.shape), 2)) else x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, kept * bytes(x)], writes = [dx] } }
  backward(weight) { kernel elementwise if bias { reads = [dx], writes = [db] } }
  saves [x, (kept - 1) * bytes(x)]
}

// The same data in another order of dimensions: a copy, as kernels that want their own order make
// it.
op reordered(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// Attention as separate kernels, of queries and of keys and values that are packed, for heads of
// any width: scores, masked softmax, dropout, context. Keeps q, k, v and the probabilities, and
// where there is dropout its mask and the dropped-out probabilities. Keys and values that several
// heads share are copied for each. `softmax`: what softmax computes and keeps its result in, and
// casts from where the kernels are not fused.
op scores_attention(
  q: Tensor,
  kv: Tensor,
  head_dim: Int,
  v_dim: Int = head_dim,
  causal: Bool = true,
  dropout: Real = 0,
  softmax: DType = q.dtype,
) {
  let heads = div(last(q.shape), head_dim)
  let kv_heads = div(last(kv.shape), head_dim + v_dim)
  output y: with_last(q.shape, heads * v_dim)
  let batch = q.shape[0]
  let seq = q.shape[1]
  let keys = kv.shape[1]
  let pairs = batch * heads * seq * keys
  let scores = bytes(q.dtype) * pairs
  let probabilities = bytes(softmax) * pairs
  let dropped = if dropout > 0 or bytes(softmax) != bytes(q.dtype) then scores else 0 B
  let mask = if dropout > 0 then 1 B * pairs else 0 B
  let copied = if kv_heads < heads then bytes(kv) / kv_heads * heads else 0 B
  let work = 2 * pairs * head_dim
  let context = 2 * pairs * v_dim
  let needed = if causal then 0.5 else 1
  require last(q.shape) % head_dim == 0 and last(kv.shape) % (head_dim + v_dim) == 0, "`q` and `kv` hold whole heads"
  require heads % max(kv_heads, 1) == 0,
    "queries share keys and values in groups of equal size: heads of queries must be a multiple of those of keys"
  whole kv dim 1
  forward {
    kernel gemm {
      count = batch * heads
      m = seq
      n = keys
      k = head_dim
      flops = work
      model_flops = needed * work
      reads = [q, bytes(kv) * head_dim / (head_dim + v_dim)]
      writes = [scores]
    }
    kernel elementwise { reads = [scores], writes = [probabilities] }
    kernel elementwise if dropped > 0 B { reads = [probabilities], writes = [dropped, mask] }
    kernel gemm {
      count = batch * heads
      m = seq
      n = v_dim
      k = keys
      flops = context
      model_flops = needed * context
      reads = [scores, bytes(kv) * v_dim / (head_dim + v_dim)]
      writes = [y]
    }
  }
  backward(input) {
    kernel gemm {
      count = batch * heads
      m = seq
      n = keys
      k = v_dim
      flops = context
      reads = [dy, kv]
      writes = [scores]
      temp = [scores, scores]
    }
    kernel gemm {
      count = batch * heads
      m = keys
      n = v_dim
      k = seq
      flops = context
      reads = [scores, dy]
      writes = [bytes(kv) * v_dim / (head_dim + v_dim)]
    }
    kernel elementwise if dropped > 0 B { reads = [scores, mask], writes = [scores] }
    kernel elementwise { reads = [probabilities, scores], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = keys, flops = work, reads = [scores, kv], writes = [dq] }
    kernel gemm { count = batch * heads, m = keys, n = head_dim, k = seq, flops = work, reads = [scores, q], writes = [dkv] }
  }
  saves [q, kv, copied, probabilities, dropped, mask]
}

// Queries, and keys with values, out of a packed [.., (heads + 2 kv_heads) * head_dim] tensor: two
// views.
op unpacked(qkv: Tensor, heads: Int, kv_heads: Int, head_dim: Int) {
  output q: with_last(qkv.shape, heads * head_dim)
  output kv: with_last(qkv.shape, 2 * kv_heads * head_dim)
  require last(qkv.shape) == (heads + 2 * kv_heads) * head_dim,
    "queries, keys and values are packed: heads + 2 kv_heads of head_dim elements"
}

// Cross entropy over the last dimension in fp32, whose steps do not work in place: beside the fp32
// logits a second copy of them lives until the loss is there.
op fused_cross_entropy(x: Tensor) {
  output y: [rows(x)]
  contracts x dim -1
  let logits = 4 B * numel(x)
  forward { kernel elementwise { reads = [x], writes = [logits, y], temp = logits } }
  backward(input) { kernel elementwise { reads = [logits], writes = [dx] } }
  saves [logits]
}

// Tokens in the order of the experts of a rank, or back.
op sorted_tokens(x: Tensor) {
  output y: x.shape
  forward { kernel permute { reads = [x], writes = [y] } }
  backward(input) { kernel permute { reads = [dy], writes = [dx] } }
}
