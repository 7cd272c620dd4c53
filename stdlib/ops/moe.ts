// Mixtures of experts (Shazeer et al., arXiv 1701.06538; Lepikhin et al., arXiv 2006.16668). A
// router picks `top` experts for each token; `dispatch` sorts copies of the tokens by expert into
// [experts, copies, hidden]; each expert works on its own; `combine` adds up what comes back.
//
// Spread over ranks, all wait for the fullest. `load` says how unevenly tokens are dealt out
// (std.ops.routing), with a capacity at most that. What the model is asked to do does not depend on
// it. Where a strategy deals experts out to ranks, work, memory and what travels follow it: a rank
// of the program is the fullest one. Kernels that put tokens in another order are of the family
// `permute`.
import std.ops.nn
export import std.ops.routing

// The product with the router's weights is done in fp32, then softmax and the choice of the best.
// `biased`: with a bias of each expert that is trained; `corrected`: with one that is set to balance
// loads, without a gradient (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
op router(x: Tensor, experts: Int, top: Int, biased: Bool = false, corrected: Bool = false, frozen: Bool = false) {
  weight w: [experts, last(x.shape)] trained if not frozen
  weight b: [experts] if biased trained if not frozen
  weight c: [experts] if corrected trained if not corrected
  output y: with_last(x.shape, top) dtype fp32
  let logits = 4 B * rows(x) * experts
  let work = 2 * numel(x) * experts
  require top >= 1 and top <= experts, "a token goes to `top` of the `experts`, to each of them once: `top` is from 1 to `experts`"
  whole x dim -1
  forward {
    kernel gemm { m = rows(x), n = experts, k = last(x.shape), flops = work, dtype = fp32, reads = [x, w], writes = [logits] }
    kernel elementwise { reads = [logits], writes = [logits, y] }
  }
  backward(input) {
    kernel elementwise { reads = [logits, dy], writes = [logits] }
    kernel gemm { m = rows(x), n = last(x.shape), k = experts, flops = work, dtype = fp32, reads = [logits, w], writes = [dx] }
  }
  backward(weight) {
    kernel gemm if not frozen {
      m = experts
      n = last(x.shape)
      k = rows(x)
      flops = work
      dtype = fp32
      reads = [logits, x]
      writes = [dw]
    }
  }
  saves [logits]
  saves [x] if not frozen
}

// Copies of the tokens, sorted by expert. How many an expert has is rounded up: once, or for each
// `padded` tokens that stand together (those of a rank, where experts have a capacity and are filled
// up to it). `passes`: how many times they are moved: twice where what arrives from each rank is
// sorted by expert once more.
op dispatch(x: Tensor, experts: Int, top: Int, load: Any = 1, passes: Int = 1, padded: Int = 0) {
  output y: [
    experts,
    if padded == 0 then ceil_div(rows(x) * top, experts) else div(rows(x), padded) * ceil_div(padded * top, experts),
    last(x.shape),
  ]
  require padded >= 0 and (padded == 0 or rows(x) % padded == 0), "tokens stand together in groups of `padded`"
  uneven y dim 1
  whole x dim -1
  forward {
    kernel permute { reads = [y], writes = [y] }
    kernel permute if passes > 1 { bytes = 2 * (passes - 1) * bytes(y) }
  }
  backward(input) {
    kernel permute if passes > 1 { bytes = 2 * (passes - 1) * bytes(y) }
    kernel permute { reads = [dy], writes = [dx] }
  }
}

// y[e] = x[e] w[e]^T: the products of all experts a rank has in one launch, `grouped_gemm` with the
// features of `gemm` and their `count`. `moved`, `turned`: as in std.ops.nn. `routed`: the share of the
// rows that are tokens: what rounding adds to them is none of the model's work. `filled`: the rows of
// an expert are filled up to whole blocks of so many for its products. `frozen`, `rank`, `adapters`,
// `stored`: as of `linear` in std.ops.nn, an adapter for each expert.
op expert_linear(
  x: Tensor,
  out: Int,
  products: Any = none,
  moved: Size = 0 B,
  routed: Real = 1,
  filled: Int = 1,
  turned: Bool = false,
  frozen: Bool = false,
  rank: Int = 0,
  adapters: Int = 1,
  stored: Any = none,
) {
  let tuned = rank > 0
  weight w: [x.shape[0], out, last(x.shape)] dtype stored trained if not frozen
  weight a: [x.shape[0], adapters * rank, last(x.shape)] if tuned
  weight u: [x.shape[0], out, rank] if tuned
  output y: with_last(x.shape, out)
  cast x dtype products moving moved if products != none
  cast dy dtype products moving moved if products != none
  let unpacked = bytes(x.dtype) * numel(w)
  let weight = if products != none then bytes(products) * numel(w) else if stored != none then unpacked else bytes(w)
  let count = x.shape[0]
  let copies = ceil_div(x.shape[1], filled) * filled
  let narrow = adapters * rank * rows(x) * bytes(x.dtype)
  let small = 2 * rows(x) * adapters * rank * last(x.shape)
  let large = 2 * numel(y) * rank
  let tokens = 2 * numel(y) * last(x.shape)
  let work = div(tokens, x.shape[1]) * copies
  require routed > 0 and routed <= 1, "`routed` is a share of the rows"
  require filled >= 1, "blocks of rows are of 1 or more"
  require rank >= 0 and adapters >= 1 and (not tuned or frozen),
    "`rank` is 0 or more, `adapters` 1 or more; they stand beside products that are frozen"
  contracts x dim -1
  forward {
    kernel elementwise if stored != none { reads = [bytes(w)], writes = [unpacked], temp = unpacked }
    kernel grouped_gemm {
      count = count
      m = copies
      n = last(y.shape)
      k = last(x.shape)
      dtype = x.dtype
      flops = work
      model_flops = routed * tokens
      reads = [x, weight]
      writes = [y]
    }
    kernel grouped_gemm if tuned {
      count = count
      m = copies
      n = adapters * rank
      k = last(x.shape)
      dtype = x.dtype
      flops = small
      reads = [x, a]
      writes = [narrow]
    }
    kernel grouped_gemm if tuned {
      count = count
      m = copies
      n = last(y.shape)
      k = rank
      dtype = x.dtype
      flops = large
      reads = [narrow, u]
      writes = [y]
    }
    kernel elementwise if tuned { reads = [y, y], writes = [y] }
  }
  backward(input) {
    kernel grouped_gemm if tuned {
      count = count
      m = copies
      n = adapters * rank
      k = last(y.shape)
      dtype = x.dtype
      flops = large
      reads = [dy, u]
      writes = [narrow]
    }
    kernel grouped_gemm if tuned {
      count = count
      m = copies
      n = last(x.shape)
      k = adapters * rank
      dtype = x.dtype
      flops = small
      reads = [narrow, a]
      writes = [dx]
    }
    kernel elementwise if stored != none { reads = [bytes(w)], writes = [unpacked], temp = unpacked }
    kernel grouped_gemm {
      count = count
      m = copies
      n = last(x.shape)
      k = last(y.shape)
      dtype = x.dtype
      flops = work
      reads = [dy, weight]
      writes = [dx]
    }
  }
  backward(weight) {
    kernel grouped_gemm if tuned {
      count = count
      m = adapters * rank
      n = last(x.shape)
      k = copies
      dtype = x.dtype
      flops = small
      reads = [narrow, x]
      writes = [da]
    }
    kernel grouped_gemm if tuned {
      count = count
      m = last(y.shape)
      n = rank
      k = copies
      dtype = x.dtype
      flops = large
      reads = [dy, narrow]
      writes = [du]
    }
    kernel elementwise if turned and not frozen { reads = [dy, x], writes = [bytes(dy), bytes(x)] }
    kernel grouped_gemm if not frozen {
      count = count
      m = last(y.shape)
      n = last(x.shape)
      k = copies
      dtype = x.dtype
      flops = work
      reads = [dy, x]
      writes = [dw]
    }
  }
  saves [x] if not frozen or tuned
  saves [narrow] if tuned
}

// A bias of each expert, weighted as its output is. Megatron-Core adds it expert by expert in fp32
// (`t + b * p` in TEGroupedMLP._apply_bias) and casts the whole back: forward 28 bytes an element
// are moved, backward 40. `fused`: the products' own epilogue adds it.
op expert_bias(x: Tensor, fused: Bool = false) {
  weight b: [x.shape[0], last(x.shape)]
  output y: x.shape
  forward { kernel elementwise if not fused { bytes = 28 B * numel(x) } }
  backward(input) { kernel elementwise if not fused { bytes = 28 B * numel(x) } }
  backward(weight) { kernel elementwise if not fused { bytes = 12 B * numel(x) } }
}

// SwiGLU of halves that are cut off at a limit before (GPT-OSS). `apart`: Megatron-Core's function
// (weighted_bias_quick_geglu_impl) cuts off and joins the halves outside of its compiled kernel, and
// keeps what was joined besides x.
op limited_swiglu(x: Tensor, apart: Bool = false) {
  output y: with_last(x.shape, div(last(x.shape), 2))
  require last(x.shape) % 2 == 0, "the last dimension holds two halves, gate and value"
  forward {
    kernel elementwise if apart { bytes = 2 * bytes(x) }
    kernel elementwise if apart { bytes = 2 * bytes(x) }
    kernel elementwise { reads = [x], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, x], writes = [dx] }
    kernel elementwise if apart { bytes = 3 * bytes(x) }
    kernel elementwise if apart { bytes = 2 * bytes(x) }
  }
  saves [x]
  saves [bytes(x)] if apart
}

// Outputs of the experts for each token's copies, added up. Their weights are applied between the
// experts' products (Megatron-Core since 0.12, `permuted_probs`), so that the backward needs neither
// x nor `gates`; `weighted`: here, and both are kept. `load` and `passes` as of `dispatch`.
op combine(x: Tensor, gates: Tensor, load: Any = 1, passes: Int = 1, weighted: Bool = false) {
  output y: with_last(gates.shape, last(x.shape)) dtype x.dtype
  whole x dim -1
  forward {
    kernel permute if passes > 1 { bytes = 2 * (passes - 1) * bytes(x) }
    kernel permute { reads = [x, gates], writes = [y] }
  }
  backward(input) {
    kernel permute if weighted { reads = [dy, x, gates], writes = [dx, dgates] }
    kernel permute if not weighted { reads = [dy, gates], writes = [dx] }
    kernel permute if passes > 1 { bytes = 2 * (passes - 1) * bytes(x) }
  }
  saves [gates]
  saves [x] if weighted
}

// One layer's experts: gated products as in std.models.llama, a `shared` one of its own width
// beside them if there is any. `biased`: with limits and biases of the second products as in GPT-OSS;
// `all_biases`: of the first products and the router as well. `tanh_gate`: GELU in place of SiLU.
// `shared_gate`: what is shared is weighted for each word; `corrected`: see `router`. `met`: so many experts are built, as where
// those that a word meets are counted.
block experts(
  x: Tensor,
  experts: Int,
  top: Int,
  ffn: Int,
  shared: Int = 0,
  load: Any = 1,
  biased: Bool = false,
  all_biases: Bool = false,
  tanh_gate: Bool = false,
  shared_gate: Bool = false,
  corrected: Bool = false,
  met: Int = experts,
) {
  let hidden = last(x.shape)
  require ffn >= 1 and shared >= 0, "widths of experts: `ffn` is 1 or more, `shared` 0 where none is shared"
  require top >= 1 and top <= experts, "a token goes to `top` of the `experts`, to each of them once: `top` is from 1 to `experts`"
  require load_possible(load, experts, top), "`load` is a number from 1 to experts / top, or one for each expert: of these none is above 1 / top of all, as no expert gets a token twice"
  gates = router(x, experts: experts, top: top, biased: all_biases, corrected: corrected) as router
  sent = dispatch(x, experts: met, top: top, load: load) as dispatch
  let routed = real(rows(x)) * top / rows(sent)
  u = expert_linear(sent, out: 2 * ffn, routed: routed) as experts.up
  if all_biases {
    u = expert_bias(u, fused: true) as experts.up_bias
  }
  if biased {
    g = limited_swiglu(u) as experts.act
  } else {
    if tanh_gate {
      g = geglu(u) as experts.act
    } else {
      g = swiglu(u) as experts.act
    }
  }
  d = expert_linear(g, out: hidden, routed: routed) as experts.down
  if biased {
    d = expert_bias(d) as experts.bias
  }
  y = combine(d, gates, load: load) as combine
  if shared > 0 {
    su = linear(x, out: 2 * shared) as shared.up
    sg = swiglu(su) as shared.act
    sd = linear(sg, out: hidden) as shared.down
    if shared_gate {
      w = linear(x, out: 1) as shared.gate
      sd = gated_silu(w, sd) as shared.gated
    }
    y = add(y, sd) as shared.sum
  }
  yield y
}
