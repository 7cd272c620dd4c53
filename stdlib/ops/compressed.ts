// Operators of compressed attention and of hyper-connections (DeepSeek-V4, as transformers' class of it does them). Words are in
// several streams: [.., streams * hidden].

// One stream for what a half of a layer does: a mix of all, by weights that the streams choose, as they do how its outcome is
// spread; the matrix of the latter is brought to sums of 1 by rounds that stay on the chip.
op collapse_streams(x: Tensor, streams: Int) {
  let hidden = div(last(x.shape), streams)
  let chosen = (2 + streams) * streams
  weight f: [chosen, last(x.shape)]
  weight b: [chosen]
  weight s: [3]
  output y: with_last(x.shape, hidden)
  let work = 2 * numel(x) * chosen
  let few = 4 B * rows(x) * chosen
  require streams >= 1 and last(x.shape) % streams == 0, "`streams` are 1 or more, of equal width"
  whole x dim -1
  forward {
    kernel elementwise { reads = [x], writes = [4 B * numel(x)] }
    kernel gemm { m = rows(x), n = chosen, k = last(x.shape), dtype = fp32, flops = work, reads = [4 B * numel(x), f], writes = [few] }
    kernel elementwise { reads = [few], writes = [few] }
    kernel elementwise { reads = [x, few], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, x, few], writes = [dx, few] }
    kernel gemm { m = rows(x), n = last(x.shape), k = chosen, dtype = fp32, flops = work, reads = [few, f], writes = [dx] }
  }
  backward(weight) {
    kernel gemm { m = chosen, n = last(x.shape), k = rows(x), dtype = fp32, flops = work, reads = [few, x], writes = [df, db, ds] }
  }
  saves [x, few]
}

// What a half gave, spread over all streams, which are mixed.
op spread_streams(x: Tensor, y: Tensor) {
  output z: x.shape
  whole x dim -1
  whole y dim -1
  forward { kernel elementwise { reads = [x, y], writes = [z] } }
  backward(input) { kernel elementwise { reads = [dz, x, y], writes = [dx, dy] } }
  saves [x, y]
}

// As many copies side by side.
op copied_streams(x: Tensor, streams: Int) {
  output y: with_last(x.shape, streams * last(x.shape))
  whole x dim -1
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// One stream for the head.
op head_of_streams(x: Tensor, streams: Int) {
  let hidden = div(last(x.shape), streams)
  weight f: [streams, last(x.shape)]
  weight b: [streams]
  weight s: [1]
  output y: with_last(x.shape, hidden)
  let work = 2 * numel(x) * streams
  let few = 4 B * rows(x) * streams
  whole x dim -1
  forward {
    kernel elementwise { reads = [x], writes = [4 B * numel(x)] }
    kernel gemm { m = rows(x), n = streams, k = last(x.shape), dtype = fp32, flops = work, reads = [4 B * numel(x), f], writes = [few] }
    kernel elementwise { reads = [x, few], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, x, few], writes = [dx, few] }
    kernel gemm { m = rows(x), n = last(x.shape), k = streams, dtype = fp32, flops = work, reads = [few, f], writes = [dx] }
  }
  backward(weight) {
    kernel gemm { m = streams, n = last(x.shape), k = rows(x), dtype = fp32, flops = work, reads = [few, x], writes = [df, db, ds] }
  }
  saves [x, few]
}

// A key for `rate` words: their sum by softmax of a gate with learned positions, and a norm. Where k holds two heads, words of
// the group before have a part.
op compress(k: Tensor, gate: Tensor, rate: Int, head_dim: Int) {
  weight p: [rate, last(k.shape)]
  weight n: [head_dim]
  output y: [k.shape[0], ceil_div(k.shape[1], rate), head_dim]
  require min(rate, head_dim) >= 1, "counts and widths are 1 or more"
  whole k dim 1
  whole k dim -1
  whole gate dim 1
  whole gate dim -1
  forward {
    kernel elementwise { reads = [k, gate], writes = [y] }
    kernel elementwise { reads = [y], writes = [y] }
  }
  backward(input) { kernel elementwise { reads = [dy, k, gate], writes = [dk, dgate] } }
  backward(weight) { kernel elementwise { reads = [dy, gate], writes = [dp, dn] } }
  saves [k, gate]
}

// What chooses compressed keys for each query, with keys of its own for `rate` words (as `latent_index`: no gradient reaches it).
op compressed_index(x: Tensor, q_rank: Int, heads: Int, head_dim: Int, rate: Int) {
  weight p: [rate, 2 * head_dim] trained if false
  weight k: [2 * head_dim, last(x.shape)] trained if false
  weight g: [2 * head_dim, last(x.shape)] trained if false
  weight n: [head_dim] trained if false
  weight q: [heads * head_dim, q_rank] trained if false
  weight w: [heads, last(x.shape)] trained if false
  output y: x.shape
  let queries = bytes(x.dtype) * rows(x) * heads * head_dim
  let few = bytes(x.dtype) * rows(x) * (4 * head_dim + heads)
  let scores = x.shape[0] * x.shape[1] * ceil_div(x.shape[1], rate) * heads
  require min(q_rank, heads, head_dim, rate) >= 1, "counts and widths are 1 or more"
  whole x dim -1
  whole x dim 1
  forward {
    kernel gemm {
      m = rows(x)
      n = heads * head_dim
      k = q_rank
      flops = 2 * rows(x) * heads * head_dim * q_rank
      reads = [bytes(x.dtype) * rows(x) * q_rank, q]
      writes = [queries]
    }
    kernel gemm {
      m = rows(x)
      n = 4 * head_dim + heads
      k = last(x.shape)
      flops = 2 * numel(x) * (4 * head_dim + heads)
      reads = [x, k, g, w]
      writes = [few]
    }
    kernel gemm {
      count = x.shape[0] * heads
      m = x.shape[1]
      n = ceil_div(x.shape[1], rate)
      k = head_dim
      flops = 2 * scores * head_dim
      model_flops = scores * head_dim
      reads = [queries]
      writes = [4 B * div(scores, heads)]
    }
  }
}

// Attention to the last `window` words and to compressed ones before: all, or `top` of them. Keys are values, of one head.
op compressed_attention(q: Tensor, kv: Tensor, c: Tensor, head_dim: Int, window: Int, rate: Int = 0, top: Int = 0) {
  let heads = div(last(q.shape), head_dim)
  weight s: [heads]
  output y: q.shape
  let batch = q.shape[0]
  let seq = q.shape[1]
  let near = if seq <= window then seq * seq else window * (2 * seq - window)
  let far = if rate == 0 then 0 else if top == 0 or seq <= top * rate then div(seq * seq, rate) else top * (2 * seq - top * rate)
  let met = near + far // twice the pairs
  let work = batch * heads * head_dim * met
  let seen = round(sqrt(real(met)))
  let far_keys = if rate == 0 then 0 B else bytes(c)
  require head_dim >= 1 and last(q.shape) % head_dim == 0 and last(kv.shape) == head_dim, "`q` holds whole heads, `kv` one"
  require window >= 1 and rate >= 0 and top >= 0, "`window` is 1 or more, `rate` and `top` 0 or more"
  whole kv dim 1
  whole c dim 1
  whole q dim 1
  forward {
    kernel attention {
      batch = batch
      seq = seen
      heads = heads
      kv_heads = 1
      head_dim = head_dim
      causal = 1
      flops = 2 * work
      reads = [q, kv, far_keys]
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward {
      batch = batch
      seq = seen
      heads = heads
      kv_heads = 1
      head_dim = head_dim
      causal = 1
      flops = 5 * work
      reads = [q, kv, far_keys, y, dy]
      writes = [dq, dkv, dc]
    }
  }
  saves [q, kv, y, far_keys, 4 B * batch * heads * seq]
}

// A product for each of `groups` parts of a word.
op grouped_linear(x: Tensor, groups: Int, out: Int) {
  weight w: [groups * out, div(last(x.shape), groups)]
  output y: with_last(x.shape, groups * out)
  let each = div(last(x.shape), groups)
  let work = 2 * rows(x) * groups * out * each
  require groups >= 1 and last(x.shape) % groups == 0, "`groups` are 1 or more, of equal width"
  whole x dim -1
  forward { kernel gemm { count = groups, m = rows(x), n = out, k = each, flops = work, reads = [x, w], writes = [y] } }
  backward(input) { kernel gemm { count = groups, m = rows(x), n = each, k = out, flops = work, reads = [dy, w], writes = [dx] } }
  backward(weight) { kernel gemm { count = groups, m = out, n = each, k = rows(x), flops = work, reads = [dy, x], writes = [dw] } }
  saves [x]
}
