// Optimizers as records: bytes kept for a parameter beside the weight and its gradient, and the kernels of one update, with
// bytes read and written for a parameter. `fused`: one kernel over all parameters; otherwise one set of kernels for each parameter tensor.

// Adam with fp32 moments. With `master` an fp32 copy of the weights is kept and the low-precision weights are written from it
// (Micikevicius et al., arXiv 1710.03740). Reads gradient, moments and master, writes moments, master and weight.
fn adam(master: Bool = true, gradient: Size = 4 B, weight: Size = 2 B) = {
  state: 8 B,
  master: if master then 4 B else 0 B,
  fused: true,
  kernels: [{
    family: "adam",
    reads: gradient + 8 B + (if master then 4 B else weight),
    writes: 8 B + weight + (if master then 4 B else 0 B),
    flops: 12 FLOP,
  }],
}

// Stochastic gradient descent, with momentum when `momentum` is set.
fn sgd(momentum: Bool = true, gradient: Size = 4 B, weight: Size = 4 B) = {
  state: if momentum then 4 B else 0 B,
  master: 0 B,
  fused: true,
  kernels: [{
    family: "sgd",
    reads: gradient + weight + (if momentum then 4 B else 0 B),
    writes: weight + (if momentum then 4 B else 0 B),
    flops: 4 FLOP,
  }],
}
