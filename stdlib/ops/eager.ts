// Operators as an eager framework runs them: one kernel for each line of the model's source,
// tensors split and joined by copies, small kernels for everything else. The lists follow the Llama
// of nanotron (Hugging Face, 2024): its source names each of these steps. A kernel `tiny` moves
// next to nothing and costs its launch.

op eager_rmsnorm(x: Tensor) {
  weight g: [last(x.shape)]
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x, g], writes = [y] } }
  backward(input) {
    kernel elementwise { reads = [dy, x, g], writes = [dx] }
    kernel elementwise { reads = [g], writes = [dg] }
  }
  saves [x, 4 B * rows(x)]
}

// Query, key and value out of the packed projection, rotated and packed again for the attention
// kernel; in backward the same copies, and the gradients of the parts joined.
op eager_rotary(qkv: Tensor, heads: Int, kv_heads: Int, head_dim: Int) {
  output y: qkv.shape
  let q = bytes(qkv.dtype) * rows(qkv) * heads * head_dim
  let k = bytes(qkv.dtype) * rows(qkv) * kv_heads * head_dim
  let tiny = 64 B
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size: `heads` must be a multiple of `kv_heads`"
  forward {
    kernel elementwise { reads = [qkv], writes = [qkv] }
    kernel elementwise { reads = [q, k], writes = [q, k] }
    kernel elementwise { reads = [q, k], writes = [q, k] }
    kernel elementwise { reads = [k], writes = [k] }
    kernel elementwise { reads = [k], writes = [k] }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
  }
  backward(input) {
    kernel elementwise { reads = [q, q], writes = [q] }
    kernel elementwise { reads = [q, k], writes = [q, k] }
    kernel elementwise { reads = [q], writes = [q] }
    kernel elementwise { reads = [k], writes = [k] }
    kernel elementwise { reads = [qkv], writes = [qkv] }
    kernel elementwise { reads = [qkv], writes = [qkv] }
  }
}

// FlashAttention between the copies that bring its operands into the layout it wants when there are
// several sequences.
op eager_attention(qkv: Tensor, heads: Int, kv_heads: Int, head_dim: Int) {
  output y: with_last(qkv.shape, heads * head_dim)
  let batch = qkv.shape[0]
  let seq = qkv.shape[1]
  let copies = batch > 1
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  require last(qkv.shape) > heads * head_dim and last(qkv.shape) <= (heads + 2 * kv_heads) * head_dim,
    "queries, keys and values are packed: heads + 2 kv_heads of head_dim elements"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size: `heads` must be a multiple of `kv_heads`"
  whole qkv dim 1
  forward {
    kernel attention {
      batch = batch
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      flops = 2 * batch * heads * seq * seq * head_dim
      reads = [qkv]
      writes = [y]
    }
    kernel elementwise if copies { reads = [y], writes = [y] }
  }
  backward(input) {
    kernel elementwise if copies { reads = [dy], writes = [dy] }
    kernel elementwise { reads = [dy], writes = [dy] }
    kernel attention_backward {
      batch = batch
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      flops = 5 * batch * heads * seq * seq * head_dim
      reads = [qkv, y, dy]
      writes = [dqkv]
    }
    kernel elementwise if copies { reads = [dy], writes = [dy] }
  }
  saves [qkv, y, 4 B * batch * heads * seq]
}

// silu(gate) * up on a packed tensor: two kernels forward, four backward; keeps silu(gate) too.
op eager_swiglu(x: Tensor) {
  output y: with_last(x.shape, div(last(x.shape), 2))
  forward {
    kernel elementwise { reads = [y], writes = [y] }
    kernel elementwise { reads = [y, y], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, y], writes = [y] }
    kernel elementwise { reads = [dy, y], writes = [y] }
    kernel elementwise { reads = [dy, y], writes = [y] }
    kernel elementwise { reads = [dy, dy], writes = [dx] }
  }
  saves [x, bytes(y)]
}

// The same of two tensors.
op eager_gated_silu(gate: Tensor, value: Tensor) {
  output y: value.shape
  forward {
    kernel elementwise { reads = [gate], writes = [y] }
    kernel elementwise { reads = [y, value], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, y], writes = [dvalue] }
    kernel elementwise { reads = [dy, value], writes = [y] }
    kernel elementwise { reads = [dy, gate], writes = [dgate] }
  }
  saves [gate, value, bytes(y)]
}

// Look-up in a table of which a rank may hold a part: tokens of others are masked before and after.
op eager_embedding(ids: Tensor, vocab: Int, hidden: Int) {
  weight w: [vocab, hidden]
  output y: ids.shape + [hidden]
  contracts w dim 0
  let tiny = 64 B
  forward {
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { reads = [bytes(y)], writes = [y] }
    kernel elementwise { reads = [y], writes = [y] }
  }
  backward(weight) {
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { bytes = tiny }
    kernel elementwise { reads = [dy], writes = [dy] }
    kernel elementwise { writes = [w] }
    kernel elementwise { reads = [dy, dy], writes = [dy] }
  }
  saves [ids]
}

// Cross entropy over a vocabulary of which a rank may hold a part, in fp32 and step by step: cast,
// maximum, shift, exponential, sum, quotient. The cast logits, the shifted ones and their
// exponentials are there at a time; the softmax is kept for backward.
op eager_cross_entropy(x: Tensor) {
  output y: [rows(x)]
  contracts x dim -1
  let logits = 4 B * numel(x)
  let tiny = 4 B * rows(x)
  forward {
    kernel elementwise { reads = [x], writes = [logits] }
    kernel elementwise { reads = [logits] }
    kernel elementwise { reads = [logits], writes = [logits] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [logits], writes = [logits], temp = [logits, logits] }
    kernel elementwise { reads = [logits] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [logits], writes = [logits] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
  }
  backward(input) {
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [tiny], writes = [tiny] }
    kernel elementwise { reads = [logits], writes = [logits] }
    kernel elementwise { reads = [logits], writes = [dx] }
  }
  saves [logits]
}
