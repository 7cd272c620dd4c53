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
