// Optimizers as records: bytes kept for a parameter beside the weight and its gradient, and the
// kernels of one update, with bytes read and written for a parameter. `fused`: one kernel over all
// parameters; otherwise one set of kernels for each parameter tensor.
//
// A size may be a function of the plan's precision, or a list of sizes that add up: the formats of
// weights and gradients are said once, there.
fn _size_of_gradient(precision: Precision) -> Size = bytes(precision.gradients)
fn _size_of_weight(precision: Precision) -> Size = bytes(precision.weights)
// An fp32 copy of weights that are narrower (Micikevicius et al., arXiv 1710.03740); others need
// none.
fn fp32_copy(precision: Precision) -> Size = if bytes(precision.weights) < 4 B then 4 B else 0 B
// What is updated, and what moments are in: that copy, or the weights themselves.
fn _size_of_updated(precision: Precision) -> Size = if bytes(precision.weights) < 4 B then 4 B else bytes(precision.weights)

// Adam, its two moments in fp32 whatever the weights are. `master`: an fp32 copy of narrower
// weights is kept, and the weights are written from it. Reads gradient, moments and what is
// updated, writes moments, master and weight.
fn adam(master: Bool = true, gradient: Any = _size_of_gradient, weight: Any = _size_of_weight) -> Optimizer = {
  state: [_size_of_updated, _size_of_updated],
  master: if master then fp32_copy else 0 B,
  fused: true,
  kernels: [{
    family: "adam",
    reads: [gradient, _size_of_updated, _size_of_updated, if master then _size_of_updated else weight],
    writes: [_size_of_updated, _size_of_updated, weight, if master then fp32_copy else 0 B],
    flops: 12 FLOP,
  }],
}

// Adam whose moments are in the format of the weights, of which there is no other copy (optax).
fn adam_of_weights() -> Optimizer = {
  state: [_size_of_weight, _size_of_weight],
  master: 0 B,
  fused: true,
  kernels: [{
    family: "adam",
    reads: [_size_of_gradient, _size_of_weight, _size_of_weight, _size_of_weight],
    writes: [_size_of_weight, _size_of_weight, _size_of_weight],
    flops: 12 FLOP,
  }],
}

// Adam whose moments and copy of the weights are in formats of their own (FusedAdam of Transformer
// Engine). `kept`: bytes of that copy; two are what weights in 16 bits lack of 32.
fn adam_in(first: Size, second: Size, kept: Any) -> Optimizer = {
  state: [first, second],
  master: kept,
  fused: true,
  kernels: [{
    family: "adam",
    reads: [_size_of_gradient, first, second, _size_of_updated],
    writes: [first, second, _size_of_weight, kept],
    flops: 12 FLOP,
  }],
}

// LAMB (You et al., arXiv 1904.00962): what Adam would add takes the gradient's place, and its norm and
// the weights', of each tensor, say how much of it is added.
fn lamb() -> Optimizer = adam() with {
  kernels = [
    {
      name: "direction",
      reads: [_size_of_gradient, _size_of_updated, _size_of_updated, _size_of_updated],
      writes: [_size_of_updated, _size_of_updated, _size_of_gradient],
      flops: 12 FLOP,
    },
    { name: "norms", reads: [_size_of_gradient, _size_of_updated], flops: 4 FLOP },
    {
      name: "update",
      reads: [_size_of_gradient, _size_of_updated],
      writes: [_size_of_weight, fp32_copy],
      flops: 2 FLOP,
    },
  ]
}

// FSDP keeps its shards in fp32 alone and casts what it gathers: what a plan's weights in 16 bits
// leave of the master copy.
fn _size_of_rest(precision: Precision) -> Size = max(0 B, fp32_copy(precision) - bytes(precision.weights))
fn cast_when_gathered(o: Optimizer) -> Optimizer = o with { master = _size_of_rest }

// Stochastic gradient descent, with momentum when `momentum` is set, in the format of what is
// updated unless `state` says another; `master` as above.
fn sgd(
  momentum: Bool = true,
  master: Bool = true,
  gradient: Any = _size_of_gradient,
  weight: Any = _size_of_weight,
  state: Any = if not momentum then 0 B else if master then _size_of_updated else weight,
) -> Optimizer = {
  state: state,
  master: if master then fp32_copy else 0 B,
  fused: true,
  kernels: [{
    family: "sgd",
    reads: [gradient, if master then _size_of_updated else weight, state],
    writes: [weight, if master then fp32_copy else 0 B, state],
    flops: 4 FLOP,
  }],
}

// What frameworks do with gradients around an update, as more kernels of it. `whole` ones go through
// all gradients that a rank holds, before they are dealt out; the others through its part.
let _norm: List[UpdateKernel] = [{ name: "gradient norm", reads: _size_of_gradient }]
let _scale: List[UpdateKernel] = [{ name: "clip gradients", reads: _size_of_gradient, writes: _size_of_gradient }]

// PyTorch's `clip_grad_norm_`: the norm, and a product with what it asks for, even if that is 1
// (torch/nn/utils/clip_grad.py).
fn clipped(o: Optimizer) -> Optimizer = o with { kernels = _norm + _scale + o.kernels }

// Megatron-LM, by its defaults: gradients are set to zero before a step, looked through for
// infinities and NaN (`check`: --check-for-nan-in-loss-and-grad) and divided by the number of
// replicas before their sum (`scale`: not with --ddp-average-in-collective, as NVIDIA's recipes have
// it; megatron/core/distributed/param_and_grad_buffer.py), then clipped (--clip-grad,
// megatron/core/optimizer/clip_grads.py: with a norm above the limit, as it mostly is where runs are
// measured; `clip: false`: --clip-grad 0, which takes no norm either).
fn megatron_update(o: Optimizer, check: Bool = true, scale: Bool = true, clip: Bool = true) -> Optimizer = o with {
  kernels = [{ name: "zero gradients", writes: _size_of_gradient, whole: true }] +
    (if check then [{ name: "check gradients", reads: _size_of_gradient, whole: true }] else []) +
    (if scale then [{ name: "scale gradients", reads: _size_of_gradient, writes: _size_of_gradient, whole: true }] else []) +
    (if clip then _norm + _scale else []) + o.kernels
}
fn megatron_unclipped(o: Optimizer) -> Optimizer = megatron_update(o, clip: false)
fn nemo_update(o: Optimizer) -> Optimizer = megatron_update(o, scale: false)
