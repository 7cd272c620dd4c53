// Operators of multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1): queries,
// keys and values come out of narrow latent vectors; the part of a key that carries its position is
// shared by all heads. How many heads a rank has follows from widths, so a split by heads needs no
// rule here.

// Positions turned into the last `rope` of the `width` elements of each query head.
op latent_rotary(q: Tensor, width: Int, rope: Int) {
  output y: q.shape
  let rotated = bytes(q) * rope / width
  require rope >= 0 and rope <= width, "the rotated part of a head is a part of it: `rope` is from 0 to `width`"
  require last(q.shape) % width == 0, "`q` holds whole heads of `width` elements"
  forward { kernel elementwise { reads = [rotated], writes = [rotated] } }
  backward(input) { kernel elementwise { reads = [rotated], writes = [rotated] } }
}

// Keys and values of every head, [.., heads * (nope + v_dim)], joined by the shared, rotated part
// of the key: [.., heads * (nope + rope + v_dim)].
op latent_keys(kv: Tensor, shared: Tensor, nope: Int, v_dim: Int) {
  let rope = last(shared.shape)
  output y: with_last(kv.shape, div(last(kv.shape), nope + v_dim) * (nope + rope + v_dim))
  require nope >= 0 and v_dim >= 1 and last(kv.shape) % (nope + v_dim) == 0, "`kv` holds whole heads, of `nope` + `v_dim` elements"
  forward { kernel elementwise { reads = [kv, shared], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dkv, dshared] } }
}

// What chooses the words that each query of sparse latent attention sees (DeepSeek-V3.2's lightning
// indexer): queries of `heads` out of the compressed ones, keys and a weight of each head out of x, and
// scores of all words before. What it gives is a choice, so no gradient reaches its weights
// (transformers, GlmMoeDsaIndexer); x passes.
op latent_index(x: Tensor, q_rank: Int, heads: Int, head_dim: Int) {
  weight q: [heads * head_dim, q_rank] trained if false
  weight k: [head_dim, last(x.shape)] trained if false
  weight n: [2, head_dim] trained if false
  weight w: [heads, last(x.shape)] trained if false
  output y: x.shape
  let queries = bytes(x.dtype) * rows(x) * heads * head_dim
  let scores = x.shape[0] * x.shape[1] * x.shape[1] * heads
  require min(q_rank, heads, head_dim) >= 1, "counts and widths are 1 or more"
  whole x dim -1
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
      n = head_dim + heads
      k = last(x.shape)
      flops = 2 * numel(x) * (head_dim + heads)
      reads = [x, k, w]
      writes = [bytes(x.dtype) * rows(x) * (head_dim + heads)]
    }
    kernel gemm {
      count = x.shape[0] * heads
      m = x.shape[1]
      n = x.shape[1]
      k = head_dim
      flops = 2 * scores * head_dim
      model_flops = scores * head_dim
      reads = [queries]
      writes = [4 B * div(scores, heads)]
    }
  }
}
