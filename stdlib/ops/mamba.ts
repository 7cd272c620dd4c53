// Operators of state-space layers (Mamba-2: Dao and Gu, arXiv 2405.21060). A layer's input
// projection packs the gate z, what is scanned x, the input and output matrices B and C of each
// group, and a time step for each head: [.., 2 inner + 2 groups state + heads]. How much of it a
// rank has follows from the width.

// The short convolution over x, B and C, and what is cut off for the gate and the time steps.
// `learned`: its weights are counted, and its biases where it is `biased`: a few of a thousand of a
// layer's.
op mamba_conv(
  p: Tensor,
  inner: Int,
  groups: Int,
  state: Int,
  heads: Int,
  taps: Int = 4,
  learned: Bool = false,
  biased: Bool = false,
) {
  weight w: [inner + 2 * groups * state, taps] if learned
  weight b: [inner + 2 * groups * state] if biased
  let whole_width = 2 * inner + 2 * groups * state + heads
  let width = div(last(p.shape) * (inner + 2 * groups * state), whole_width)
  output y: with_last(p.shape, div(last(p.shape) * (inner + 2 * groups * state), whole_width))
  output z: with_last(p.shape, div(last(p.shape) * inner, whole_width))
  whole p dim 1
  require min(inner, groups, state, heads, taps) >= 1, "counts and widths are 1 or more"
  forward { kernel elementwise { reads = [y], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y, y], writes = [dp] } }
  saves [p]
}

// The scan by chunks: inside a chunk a product of C and B, masked, and one with x; between chunks
// states of [head width, state]. Work for an element of x: `chunk / 2` keys on average for scores
// (shared by the heads of a group) and for values, and the state twice. Its kernels read and write
// x, B, C and states several times. After it the gate, and an RMS norm of each group. `learned`: the
// decay, the skip and the bias of time steps of each head, and the norm's weights, are counted. `normed`:
// there is such a norm (Falcon-H1 has none).
op mamba_scan(
  y: Tensor,
  z: Tensor,
  inner: Int,
  groups: Int,
  state: Int,
  heads: Int,
  chunk: Int = 128,
  learned: Bool = false,
  normed: Bool = true,
) {
  weight a: [3, heads] if learned
  weight g: [inner] if learned and normed
  output o: z.shape
  whole y dim 1
  whole z dim 1
  let elements = numel(z)
  let each = 2 * (chunk + 2 * state) + div(2 * chunk * state * groups, inner)
  let states = 4 B * div(elements * state, chunk)
  require min(inner, groups, state, heads, chunk) >= 1, "counts and widths are 1 or more"
  forward {
    kernel mamba_scan { flops = elements * each, reads = [y, y, states, states], writes = [o, states, states] }
    kernel elementwise { reads = [o, z], writes = [o] }
    kernel elementwise if normed { reads = [o], writes = [o] }
  }
  backward(input) {
    kernel elementwise if normed { reads = [do, o], writes = [do] }
    kernel elementwise { reads = [do, z, o], writes = [do, dz] }
    kernel mamba_scan_backward {
      flops = 5 * div(elements * each, 2)
      reads = [y, y, y, do, do, states, states, states]
      writes = [dy, dy, states, states]
    }
  }
  saves [y, z, o]
}

// A short convolution of each channel between two gates (LFM2, arXiv 2511.23404): of [.., 3 widths] the first
// gates what goes in, the second what comes out.
op gated_conv(p: Tensor, taps: Int = 3, biased: Bool = false) {
  weight w: [div(last(p.shape), 3), taps]
  weight b: [div(last(p.shape), 3)] if biased
  output y: with_last(p.shape, div(last(p.shape), 3))
  whole p dim 1
  require taps >= 1 and last(p.shape) % 3 == 0, "`taps` are 1 or more, the last dimension holds two gates and what they gate"
  forward { kernel elementwise { reads = [p, w], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, p], writes = [dp] } }
  backward(weight) { kernel elementwise { reads = [dy, p], writes = [dw] } }
  saves [p]
}

// A short convolution of each channel, and SiLU.
op short_conv(x: Tensor, taps: Int = 4, biased: Bool = false) {
  weight w: [last(x.shape), taps]
  weight b: [last(x.shape)] if biased
  output y: x.shape
  whole x dim 1
  require taps >= 1, "`taps` are 1 or more"
  forward { kernel elementwise { reads = [x, w], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dw] } }
  saves [x]
}

// The scan of Mamba's first release (Gu and Dao, arXiv 2312.00752): a decay for each of the `state` elements
// that each channel of x has, out of time steps t; `bc` packs the input and output matrices, z is the gate. One kernel
// holds the states on the chip: for an element of x and of its state nine operations, none on tensor cores, and
// again with as many for gradients in the backward. States of every 2,048th word are kept.
op selective_scan(x: Tensor, t: Tensor, bc: Tensor, z: Tensor) {
  let state = div(last(bc.shape), 2)
  weight a: [last(x.shape), state]
  weight d: [last(x.shape)]
  output o: x.shape
  whole x dim 1
  let work = 9 * numel(x) * state
  let states = 8 B * ceil_div(x.shape[1], 2048) * x.shape[0] * last(x.shape) * state
  require last(bc.shape) % 2 == 0, "`bc` holds two matrices of equal width"
  forward { kernel selective_scan { dtype = fp32, flops = work, reads = [x, t, bc, z], writes = [o, states] } }
  backward(input) {
    kernel selective_scan_backward { dtype = fp32, flops = 3 * work, reads = [do, x, t, bc, z, states], writes = [dx, dt, dbc, dz] }
  }
  backward(weight) { kernel elementwise { reads = [bytes(a), bytes(d)], writes = [da, dd] } }
  saves [x, t, bc, z, states]
}
