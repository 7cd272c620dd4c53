// Operators of gated delta networks (Yang et al., arXiv 2412.06464), as Qwen3-Next has them. A layer's
// input projection packs queries and keys, values, the gate, and two numbers for each head of values:
// [.., 2 keys + 2 values + 2 heads], by widths. How much of it a rank has follows from the width.

// The short convolution over queries, keys and values, and what is cut off for the gate.
op delta_conv(p: Tensor, keys: Int, values: Int, heads: Int, taps: Int = 4) {
  let whole_width = 2 * keys + 2 * values + 2 * heads
  weight w: [2 * keys + values, taps]
  output y: with_last(p.shape, div(last(p.shape) * (2 * keys + values), whole_width))
  output z: with_last(p.shape, div(last(p.shape) * values, whole_width))
  whole p dim 1
  require min(keys, values, heads, taps) >= 1, "counts and widths are 1 or more"
  forward { kernel elementwise { reads = [y], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y, y], writes = [dp] } }
  backward(weight) { kernel elementwise { reads = [dy, y], writes = [dw] } }
  saves [p]
}

// The rule by chunks (section 3.3 there): for a word and a head of values, in a chunk the products of
// keys with keys and queries with keys, those that solve for what is written, and those with values; with
// the state of [key width, value width] three. After it an RMS norm of each head and the gate.
op delta_scan(y: Tensor, z: Tensor, key_dim: Int, value_dim: Int, heads: Int, chunk: Int = 64) {
  weight a: [2, heads]
  weight g: [value_dim]
  output o: z.shape
  whole y dim 1
  whole z dim 1
  let words = div(numel(z), value_dim) // of all heads
  let each = 2 * chunk * (3 * key_dim + 2 * value_dim) + 6 * key_dim * value_dim
  let states = 4 B * div(words, chunk) * key_dim * value_dim
  require min(key_dim, value_dim, heads, chunk) >= 1, "counts and widths are 1 or more"
  forward {
    kernel delta_scan { flops = words * each, reads = [y, states], writes = [o, states] }
    kernel elementwise { reads = [o, z, g], writes = [o] }
  }
  backward(input) {
    kernel elementwise { reads = [do, z, o], writes = [do, dz] }
    kernel delta_scan_backward { flops = 5 * div(words * each, 2), reads = [y, y, do, states, states], writes = [dy, states] }
  }
  backward(weight) { kernel elementwise { reads = [do, o], writes = [da, dg] } }
  saves [y, z, o]
}

// The same rule with a decay for each channel of a key (Kimi Delta Attention, arXiv 2510.26692): y packs queries,
// keys and values of equal width, f is the decay, b what is written, g the gate after the norm of each head.
op kda_scan(y: Tensor, f: Tensor, b: Tensor, g: Tensor, head_dim: Int, heads: Int, chunk: Int = 64) {
  weight a: [heads]
  weight t: [heads * head_dim]
  weight n: [head_dim]
  output o: g.shape
  whole y dim 1
  let words = div(numel(g), head_dim) // of all heads
  let each = 10 * chunk * head_dim + 6 * head_dim * head_dim
  let states = 4 B * div(words, chunk) * head_dim * head_dim
  require min(head_dim, heads, chunk) >= 1, "counts and widths are 1 or more"
  forward {
    kernel delta_scan { flops = words * each, reads = [y, f, b, states], writes = [o, states] }
    kernel elementwise { reads = [o, g, n], writes = [o] }
  }
  backward(input) {
    kernel elementwise { reads = [do, g, o], writes = [do, dg] }
    kernel delta_scan_backward { flops = 5 * div(words * each, 2), reads = [y, f, b, do, states, states], writes = [dy, df, db, states] }
  }
  backward(weight) { kernel elementwise { reads = [do, o], writes = [da, dt, dn] } }
  saves [y, f, b, g, o]
}

// Linear attention by chunks with a fixed decay for each head (lightning attention, Qin et al., arXiv 2401.04658): in a
// chunk scores and values of the words before, between chunks a state of [head, head].
op lightning_scan(qkv: Tensor, heads: Int, head_dim: Int, chunk: Int = 256) {
  output o: with_last(qkv.shape, heads * head_dim)
  whole qkv dim 1
  let words = div(numel(o), head_dim) // of all heads
  let each = 2 * chunk * head_dim + 4 * head_dim * head_dim
  let states = 4 B * div(words, chunk) * head_dim * head_dim
  require min(heads, head_dim, chunk) >= 1 and last(qkv.shape) == 3 * heads * head_dim,
    "counts and widths are 1 or more; queries, keys and values are packed: 3 heads of head_dim elements"
  forward {
    kernel elementwise { reads = [qkv], writes = [qkv] }
    kernel delta_scan { flops = words * each, reads = [qkv, states], writes = [o, states] }
  }
  backward(input) {
    kernel delta_scan_backward { flops = 5 * div(words * each, 2), reads = [qkv, do, states, states], writes = [dqkv, states] }
    kernel elementwise { reads = [dqkv, qkv], writes = [dqkv] }
  }
  saves [qkv]
}
