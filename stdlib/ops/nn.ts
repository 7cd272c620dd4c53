// Operators of neural networks: tensors in and out, parameters, and the work of forward,
// backward(input) and backward(weight).
//
// Work is written in terms of tensors, so that it stays right when a rule splits them and in every
// precision: `bytes(x.dtype)` is an element. A size in bytes is of what has one format whatever the
// model computes in: statistics and logits are fp32, masks a byte, indices int64.
//
// Matrix products have the kernel family `gemm` with the
// features m, n, k of y[m, n] = x[m, k] w[n, k]^T (and `count`, the products of one batched call);
// kernels that only move data have the family `elementwise`; flash attention has `attention`. A
// kernel without `flops` does none worth counting; `model_flops` are those of them that the model
// needs, where a kernel does more: masked, padded or repeated ones.

// y = x w^T (+ b). `tied`: the weight is that of the op labelled `table`, and held once where both
// are on one rank; a stage of a pipeline that has this op alone holds a copy, and the two sum their
// gradients before the update (Megatron-LM's embedding group). Its input gradient is the product
// [m, n] x [n, k], its weight gradient [n, m] x [m, k]. `products`: a narrower format of the
// products. Operands are cast where they lie and gathered so, and the cast of x is what stays
// (Transformer Engine: the fp8 shard is saved, and gathered again in fp8). `moved`: bytes that casting
// an element moves, if it is not read once and written once. `frozen`: a weight that
// is not trained: it is held, and has neither gradient nor state. `given`: w is a tensor that some
// other op made, and no weight. `turned`: the weight gradient takes transposed copies of both operands, since
// the tensor cores of Hopper multiply 8 bits in one layout alone. `cached`: the output stays, though no
// backward needs it. `epilogue`: the product adds the bias itself (addmm). `biased`: the share of outputs that
// have one (Whisper's keys have none).
//
// `rank`: beside a product that is frozen stand low-rank adapters that are trained (LoRA, Hu et al.,
// arXiv 2106.09685; peft/tuners/lora/layer.py): x a^T of this width, then u, whose outcome is scaled and
// added to y. `adapters` of them stand side by side, where w is several matrices in one (queries, keys and
// values), for the share `adapted` of the outputs. `dropped`: each drops elements of x, of which it keeps
// what is left. `decomposed`: DoRA (Liu et al., arXiv 2402.09353; peft/tuners/lora/dora.py): rows of w + u a
// are normed once a forward, without a gradient of the norms, and scaled by weights of their own. `stored`:
// the format in which w lies; it is made 16 bits wide before each product (bitsandbytes, MatMul4Bit).
op linear(
  x: Tensor,
  out: Int,
  bias: Bool = false,
  biased: Real = 1,
  epilogue: Bool = false,
  tied: Bool = false,
  table: Label = "embed",
  products: Any = none,
  moved: Size = 0 B,
  frozen: Bool = false,
  given: Bool = false,
  turned: Bool = false,
  cached: Bool = false,
  rank: Int = 0,
  adapters: Int = 1,
  adapted: Real = 1,
  dropped: Bool = false,
  decomposed: Bool = false,
  stored: Any = none,
) {
  let learned = not (frozen or given)
  let tuned = rank > 0
  weight w: [out, last(x.shape)] dtype stored if not given trained if learned
  tie w with table if tied
  weight b: [round(biased * out)] if bias trained if not frozen
  weight a: [adapters * rank, last(x.shape)] if tuned
  weight u: [round(adapted * out), rank] if tuned
  weight m: [round(adapted * out)] if tuned and decomposed
  output y: with_last(x.shape, out)
  let width = round(adapted * last(y.shape))
  let narrow = adapters * rank * rows(x) * bytes(x.dtype)
  let beside = bytes(x.dtype) * rows(x) * width
  let unpacked = bytes(x.dtype) * last(y.shape) * last(x.shape)
  let whole = bytes(x.dtype) * width * last(x.shape)
  let small = 2 * rows(x) * adapters * rank * last(x.shape)
  let large = 2 * rows(x) * width * rank
  cast x dtype products moving moved if products != none
  cast dy dtype products moving moved if products != none
  let elements = last(y.shape) * last(x.shape)
  let weight = if products != none then bytes(products) * elements else if given then bytes(y.dtype) * elements else if stored != none
    then unpacked else bytes(w)
  require biased > 0 and biased <= 1, "`biased` is a share of the outputs: above 0, up to 1"
  require rank >= 0 and adapters >= 1 and adapted > 0 and adapted <= 1,
    "`rank` is 0 or more, `adapters` 1 or more, `adapted` a share of the outputs"
  require not tuned or frozen, "adapters stand beside a product that is frozen"
  contracts x dim -1
  forward {
    kernel elementwise if stored != none { reads = [bytes(w)], writes = [unpacked], temp = unpacked }
    kernel gemm {
      m = rows(y)
      n = last(y.shape)
      k = last(x.shape)
      dtype = x.dtype
      flops = 2 * numel(y) * last(x.shape)
      reads = [x, weight]
      writes = [y]
    }
    kernel elementwise if bias and not epilogue { reads = [y, b], writes = [y] }
    kernel elementwise if tuned and dropped { reads = [adapters * bytes(x)], writes = [adapters * bytes(x), adapters * numel(x) * 1 B] }
    kernel gemm if tuned {
      m = rows(x)
      n = adapters * rank
      k = last(x.shape)
      dtype = x.dtype
      flops = small
      reads = [x, a]
      writes = [narrow]
    }
    kernel gemm if tuned { m = rows(x), n = width, k = rank, dtype = x.dtype, flops = large, reads = [narrow, u], writes = [beside] }
    kernel elementwise if tuned { reads = [beside], writes = [beside] }
    kernel elementwise if tuned { reads = [beside, beside], writes = [beside] }
    kernel gemm if tuned and decomposed {
      m = width
      n = last(x.shape)
      k = rank
      dtype = x.dtype
      flops = 2 * width * last(x.shape) * rank
      reads = [u, a]
      writes = [whole]
    }
    kernel elementwise if tuned and decomposed { reads = [whole, whole], writes = [whole] }
    kernel elementwise if tuned and decomposed { reads = [whole, m], writes = [m] }
    kernel elementwise if tuned and decomposed { reads = [beside, m], writes = [beside] }
  }
  backward(input) {
    kernel elementwise if tuned and decomposed { reads = [beside, m], writes = [beside] }
    kernel elementwise if tuned { reads = [beside], writes = [beside] }
    kernel gemm if tuned {
      m = rows(x)
      n = adapters * rank
      k = div(width, adapters)
      dtype = x.dtype
      flops = large
      reads = [beside, u]
      writes = [narrow]
    }
    kernel gemm if tuned {
      m = rows(x)
      n = last(x.shape)
      k = adapters * rank
      dtype = x.dtype
      flops = small
      reads = [narrow, a]
      writes = [dx]
    }
    kernel elementwise if tuned and dropped { reads = [adapters * bytes(x), adapters * numel(x) * 1 B], writes = [adapters * bytes(x)] }
    kernel elementwise if stored != none { reads = [bytes(w)], writes = [unpacked], temp = unpacked }
    kernel gemm {
      m = rows(y)
      n = last(x.shape)
      k = last(y.shape)
      dtype = x.dtype
      flops = 2 * numel(y) * last(x.shape)
      reads = [dy, weight]
      writes = [dx]
    }
    kernel elementwise if tuned { reads = [dx, dx], writes = [dx] }
  }
  backward(weight) {
    kernel gemm if tuned {
      m = adapters * rank
      n = last(x.shape)
      k = rows(x)
      dtype = x.dtype
      flops = small
      reads = [narrow, x]
      writes = [da]
    }
    kernel gemm if tuned { m = width, n = rank, k = rows(x), dtype = x.dtype, flops = large, reads = [dy, narrow], writes = [du] }
    kernel elementwise if tuned and decomposed { reads = [dy, y], writes = [dm] }
    kernel elementwise if turned and learned { reads = [dy, x], writes = [bytes(dy), bytes(x)] }
    kernel gemm if learned {
      m = last(y.shape)
      n = last(x.shape)
      k = rows(y)
      dtype = x.dtype
      flops = 2 * numel(y) * last(x.shape)
      reads = [dy, x]
      writes = [dw]
    }
    kernel elementwise if bias and not frozen { reads = [dy], writes = [db] }
  }
  saves [x] if learned or (tuned and not dropped)
  saves [narrow] if tuned
  saves [adapters * bytes(x), adapters * numel(x) * 1 B] if tuned and dropped
  saves [y] if cached or decomposed
}

// A batch of pictures, in the compute type: what a model begins with whose input are no whole
// numbers.
op images(samples: Int, shape: List[Int]) {
  output y: [samples] + shape
}

// A table look-up. `ids` holds token numbers; the gradient is scattered into the rows that were
// read. `frozen`: the table is not trained. `tied`: it is the one of the op labelled `table`, as with
// `linear`.
op embedding(ids: Tensor, vocab: Int, hidden: Int, frozen: Bool = false, tied: Bool = false, table: Label = "embed", spread: Int = 1) {
  weight w: [vocab, hidden] trained if not frozen
  tie w with table if tied
  output y: ids.shape + [hidden]
  contracts w dim 0
  forward { kernel elementwise { reads = [ids, bytes(y)], writes = [y] } }
  backward(weight) { kernel elementwise if not frozen { reads = [dy, ids], writes = [dw], temp = (spread - 1) * bytes(w) } }
  saves [ids] if not frozen
}

// Positions, added to x: learned ones, or (`fixed`) held as they are, as sines.
op position_embedding(x: Tensor, seq: Int, fixed: Bool = false) {
  weight w: [seq, last(x.shape)] trained if not fixed
  output y: x.shape
  forward { kernel elementwise { reads = [x, w], writes = [y] } }
  backward(weight) { kernel elementwise if not fixed { reads = [dy], writes = [dw] } }
}

// Which of `kinds` parts of the text a word is in, as a learned vector added to x.
op segment_embedding(x: Tensor, segments: Tensor, kinds: Int) {
  weight w: [kinds, last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, w, segments], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy, segments], writes = [dw] } }
  saves [segments]
}

// One fused kernel each way; keeps its input and two statistics a row.
op layernorm(x: Tensor) {
  weight g: [last(x.shape)]
  weight b: [last(x.shape)]
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x, g, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, g], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dg, db] } }
  saves [x, 8 B * rows(x)]
}

// `tied`: the weight is that of the op labelled `table`, as with `linear`.
op rmsnorm(x: Tensor, tied: Bool = false, table: Label = "embed") {
  weight g: [last(x.shape)]
  tie g with table if tied
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x, g], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, g], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dg] } }
  saves [x, 4 B * rows(x)]
}

// A layer norm without weights (OLMo).
op bare_norm(x: Tensor) {
  output y: x.shape
  whole x dim -1
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x, 8 B * rows(x)]
}

op gelu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

op relu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}

// xIELU (Huang and Schlag, arXiv 2411.13010): its two parts have a learned factor each.
op xielu(x: Tensor) {
  weight a: [2]
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [da] } }
  saves [x]
}

// A bias added and the activation applied in one kernel (Megatron's bias_gelu_fusion).
op bias_gelu(x: Tensor) {
  weight b: [last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x, b], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dx], writes = [db] } }
  saves [x]
}

// x times a learned factor for each element of a word (LayerScale).
op layer_scale(x: Tensor) {
  weight g: [last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, g], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, g], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dy, x], writes = [dg] } }
  saves [x]
}

// x in the format of another tensor.
op in_format_of(x: Tensor, other: Tensor) {
  output y: x.shape dtype other.dtype
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// `wide`: the sum is in fp32 (Mamba's residuals).
op add(a: Tensor, b: Tensor, wide: Bool = false) {
  output y: a.shape dtype if wide then fp32 else none
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
}

// Bias, dropout and residual in one kernel (Megatron's bias_dropout_add_fusion); keeps the mask, a
// byte an element.
op bias_dropout_add(x: Tensor, residual: Tensor) {
  weight b: [last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, b, residual], writes = [y, 1 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 1 B * numel(y)], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [dx], writes = [db] } }
  saves [1 B * numel(y)]
}

op dropout(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y, 1 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 1 B * numel(y)], writes = [dx] } }
  saves [1 B * numel(y)]
}

// Rotary position embedding applied to the query and key part of a packed [.., (heads + 2 kv_heads)
// * head_dim] tensor. `scaled`: cosine and sine have a factor (YaRN), which Transformer Engine's
// fused kernel has not, so that each step is a kernel (Megatron-Core's _apply_rotary_pos_emb_bshd):
// times cosine, a half negated, halves exchanged, times sine, added, copied. `share`: of each head, where
// the rest has no position.
op rotary(qkv: Tensor, heads: Int, kv_heads: Int, head_dim: Int, scaled: Bool = false, share: Real = 1) {
  output y: qkv.shape
  let rotated = share * bytes(qkv.dtype) * rows(qkv) * (heads + kv_heads) * head_dim
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size: `heads` must be a multiple of `kv_heads`"
  require share > 0 and share <= 1, "`share` is a part of a head: above 0, up to 1"
  forward {
    kernel elementwise { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated / 2], writes = [rotated / 2] }
    kernel elementwise if scaled { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated, rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated], writes = [rotated] }
  }
  backward(input) {
    kernel elementwise { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated / 2], writes = [rotated / 2] }
    kernel elementwise if scaled { reads = [rotated], writes = [rotated] }
    kernel elementwise if scaled { reads = [rotated, rotated], writes = [rotated] }
  }
}

// FLOPs of one of attention's matrix products, for a head and an element of it: every query meets
// every key; with a causal mask half of them; with a window only the last `window` keys.
fn _scores(queries: Int, keys: Int, causal: Bool, window: Int = 0) -> Int =
  if not causal then 2 * queries * keys else if window == 0 or window >= keys then queries * keys else window * (2 * queries - window)

// A causal sequence whose queries meet as many tiles of keys on average as with a window: kernels
// work on tiles of 128 by 128, and mask what lies beyond the window in the first and the last.
fn _as_causal(window: Int) -> Int = 128 * (2 * ceil_div(window - 1, 128) + 1)

// Attention that never writes the scores (FlashAttention): keeps q, k, v, its output and one
// statistic a row and head. Forward is two products, backward five (Dao, arXiv 2307.08691).
// `window`: a query sees so many keys, and the kernel takes as long as one of short sequences that
// meet as many tiles; `buckets`: scores have a learned bias by relative position, of so many values
// a head; `sinks`: each head has a learned score of a key that nobody has (GPT-OSS). Where queries are split along the sequence their keys and values are gathered; `load`: so
// many times the mean of the scores fall on the fullest rank. Where ranks have copies of a head of
// keys and values, `qkv` has less of it than `kv_heads` says: the copies are read and kept too.
op attention(
  qkv: Tensor,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  causal: Bool = true,
  window: Int = 0,
  buckets: Int = 0,
  load: Real = 1,
  sinks: Bool = false,
) {
  weight w: [buckets, heads] if buckets > 0
  weight s: [heads] if sinks
  slice kv: with_last(qkv.shape, 2 * kv_heads * head_dim) of qkv
  output y: with_last(qkv.shape, heads * head_dim)
  let batch = qkv.shape[0]
  let loaded = batch * load // kernels of the fullest rank take as long as of so many sequences
  let queries = qkv.shape[1]
  let keys = kv.shape[1]
  let seq = if keys == queries then queries else round(sqrt(queries * keys))
  let cut = window > 0 and window < keys
  let local = cut and _as_causal(window) < keys
  let met = if cut and keys > queries then div(queries * _scores(keys, keys, causal, window), keys)
    else _scores(queries, keys, causal, window)
  let mean = batch * heads * head_dim * met
  let product = batch * heads * head_dim * (if load == 1 then met else round(met * load))
  let more = (heads + 2 * kv_heads) * head_dim - last(qkv.shape)
  let copied = bytes(qkv) * max(more, 0) / last(qkv.shape)
  let taken = if keys == queries then [qkv, copied] else [bytes(qkv) * heads / (heads + 2 * kv_heads), kv]
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  require last(qkv.shape) > heads * head_dim and last(qkv.shape) <= (heads + 2 * kv_heads) * head_dim,
    "queries, keys and values are packed: heads + 2 kv_heads of head_dim elements"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size: `heads` must be a multiple of `kv_heads`"
  require window >= 0 and buckets >= 0, "`window` and `buckets` are counts, 0 for none"
  require load >= 1, "`load` is that of the fullest rank over the mean: 1 or more"
  whole kv dim 1
  forward {
    kernel attention if not local {
      batch = loaded
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = if causal then 1 else 0
      flops = 2 * product
      model_flops = 2 * mean
      reads = taken
      writes = [y]
    }
    kernel attention if local {
      batch = ceil_div(batch * queries, _as_causal(window)) * load
      seq = _as_causal(window)
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = 1
      flops = 2 * product
      model_flops = 2 * mean
      reads = taken
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward if not local {
      batch = loaded
      seq = seq
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = if causal then 1 else 0
      flops = 5 * product
      reads = [taken, y, dy]
      writes = taken
    }
    kernel attention_backward if local {
      batch = ceil_div(batch * queries, _as_causal(window)) * load
      seq = _as_causal(window)
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      causal = 1
      flops = 5 * product
      reads = [taken, y, dy]
      writes = taken
    }
  }
  saves [qkv, y, 4 B * batch * heads * queries]
  saves [copied] if more > 0
}

// Attention whose queries come from elsewhere than keys and values, which are packed in `kv`: of
// another sequence, or of another width (`v_dim`). How many heads there are follows from the
// widths. Backward: two products of the width of values, three of that of keys. `load` as in
// `attention`. `unfused`: in separate kernels, which compute all scores and keep the probabilities;
// `parts`: their softmax in fp32, part by part. `window`, `sinks`: as in `attention`.
op query_attention(
  q: Tensor,
  kv: Tensor,
  head_dim: Int,
  v_dim: Int = head_dim,
  causal: Bool = false,
  load: Real = 1,
  unfused: Bool = false,
  parts: Bool = false,
  window: Int = 0,
  sinks: Bool = false,
) {
  weight s: [div(last(q.shape), head_dim)] if sinks
  let heads = div(last(q.shape), head_dim)
  let kv_heads = div(last(kv.shape), head_dim + v_dim)
  output y: with_last(q.shape, heads * v_dim)
  let batch = q.shape[0]
  let seq = q.shape[1]
  let keys = kv.shape[1]
  let local = window > 0 and seq == keys and _as_causal(window) < keys
  let met = _scores(seq, keys, causal, if seq == keys then window else 0)
  let mean = batch * heads * met
  let product = batch * heads * (if load == 1 then met else round(met * load))
  let scores = bytes(q.dtype) * batch * heads * seq * keys
  let whole_product = batch * heads * seq * keys
  require head_dim >= 1 and v_dim >= 1, "heads have a width of 1 or more"
  require last(q.shape) % head_dim == 0 and last(kv.shape) % (head_dim + v_dim) == 0, "`q` and `kv` hold whole heads"
  require heads % max(kv_heads, 1) == 0,
    "queries share keys and values in groups of equal size: heads of queries must be a multiple of those of keys"
  require window >= 0 and not (window > 0 and unfused), "`window` counts keys, 0 for all, and is of attention in one kernel"
  require load >= 1, "`load` is that of the fullest rank over the mean: 1 or more"
  whole kv dim 1
  forward {
    kernel attention if not unfused {
      batch = if local then ceil_div(batch * seq, _as_causal(window)) * load else batch * load
      seq = if local then _as_causal(window) else seq
      keys = if local then _as_causal(window) else keys
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      v_dim = v_dim
      causal = if causal then 1 else 0
      flops = product * (head_dim + v_dim)
      model_flops = mean * (head_dim + v_dim)
      reads = [q, kv]
      writes = [y]
    }
    kernel gemm if unfused {
      count = batch * heads
      m = seq
      n = keys
      k = head_dim
      flops = 2 * whole_product * head_dim
      model_flops = mean * head_dim
      reads = [q, kv]
      writes = [scores]
    }
    kernel elementwise if unfused and not parts { reads = [scores], writes = [scores] }
    kernel elementwise if unfused and parts { reads = [scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [scores] }
    kernel gemm if unfused {
      count = batch * heads
      m = seq
      n = v_dim
      k = keys
      flops = 2 * whole_product * v_dim
      model_flops = mean * v_dim
      reads = [scores, kv]
      writes = [y]
    }
  }
  backward(input) {
    kernel gemm if unfused {
      count = batch * heads
      m = seq
      n = keys
      k = v_dim
      flops = 2 * whole_product * v_dim
      reads = [dy, kv]
      writes = [scores]
    }
    kernel gemm if unfused {
      count = batch * heads
      m = keys
      n = v_dim
      k = seq
      flops = 2 * whole_product * v_dim
      reads = [scores, dy]
      writes = [y]
    }
    kernel elementwise if unfused and not parts { reads = [2 * scores], writes = [scores] }
    kernel elementwise if unfused and parts { reads = [scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [4 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [2 * scores] }
    kernel elementwise if unfused and parts { reads = [2 * scores], writes = [scores] }
    kernel gemm if unfused {
      count = batch * heads
      m = seq
      n = head_dim
      k = keys
      flops = 2 * whole_product * head_dim
      reads = [scores, kv]
      writes = [dq]
    }
    kernel gemm if unfused {
      count = batch * heads
      m = keys
      n = head_dim
      k = seq
      flops = 2 * whole_product * head_dim
      reads = [scores, q]
      writes = [dkv]
    }
    kernel attention_backward if not unfused {
      batch = if local then ceil_div(batch * seq, _as_causal(window)) * load else batch * load
      seq = if local then _as_causal(window) else seq
      keys = if local then _as_causal(window) else keys
      heads = heads
      kv_heads = kv_heads
      head_dim = head_dim
      v_dim = v_dim
      causal = if causal then 1 else 0
      flops = product * (3 * head_dim + 2 * v_dim)
      reads = [q, kv, y, dy]
      writes = [dq, dkv]
    }
  }
  saves [q, kv, y, if unfused and parts then 3 * scores else if unfused then scores else 4 B * batch * heads * seq]
}

// Queries, keys and values of a product that makes keys alone, as the values are the keys (Gemma 4).
op keys_as_values(x: Tensor, heads: Int, kv_heads: Int, head_dim: Int) {
  output y: with_last(x.shape, div(last(x.shape) * (heads + 2 * kv_heads), heads + kv_heads))
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// RMS norm of every query and key head, on a packed tensor as `rotary` takes it; one weight an
// element of a head, for queries and for keys. `across`: of all heads of a word together, with a weight
// an element of them (OLMo 2, MiniMax); `learned`: false, where there are no weights (Llama 4).
op qk_norm(qkv: Tensor, heads: Int, kv_heads: Int, head_dim: Int, across: Bool = false, learned: Bool = true) {
  weight gq: [if across then heads * head_dim else head_dim] if learned
  weight gk: [if across then kv_heads * head_dim else head_dim] if learned
  output y: qkv.shape
  let normed = bytes(qkv) * (heads + kv_heads) / (heads + 2 * kv_heads)
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  forward { kernel elementwise { reads = [normed], writes = [normed] } }
  backward(input) { kernel elementwise { reads = [normed, normed], writes = [normed] } }
  backward(weight) { kernel elementwise if learned { reads = [normed, normed], writes = [dgq, dgk] } }
  saves [qkv]
}

// Attention as separate kernels: scores, masked softmax, dropout, context (Megatron-LM before
// FlashAttention). Keeps q, k, v, the probabilities, the dropout mask and the dropped-out
// probabilities: Korthikanti et al., arXiv 2205.05198, section 4.1. With a `causal` mask it
// computes all scores all the same: half of them are the model's.
op core_attention(qkv: Tensor, heads: Int, head_dim: Int, causal: Bool = true) {
  output y: with_last(qkv.shape, heads * head_dim)
  let batch = qkv.shape[0]
  let seq = qkv.shape[1]
  let scores = bytes(qkv.dtype) * batch * heads * seq * seq
  let mask = 1 B * batch * heads * seq * seq
  let head = bytes(qkv.dtype) * batch * heads * seq * head_dim
  let work = 2 * batch * heads * seq * seq * head_dim
  let needed = if causal then work / 2 else work
  require heads >= 1 and head_dim >= 1, "heads and their width are 1 or more"
  require last(qkv.shape) == 3 * heads * head_dim, "queries, keys and values are packed: 3 heads of head_dim elements"
  whole qkv dim 1
  forward {
    kernel gemm {
      count = batch * heads
      m = seq
      n = seq
      k = head_dim
      flops = work
      model_flops = needed
      reads = [2 * head]
      writes = [scores]
    }
    kernel elementwise { reads = [scores], writes = [scores] }
    kernel elementwise { reads = [scores], writes = [scores, mask] }
    kernel gemm {
      count = batch * heads
      m = seq
      n = head_dim
      k = seq
      flops = work
      model_flops = needed
      reads = [scores, head]
      writes = [y]
    }
  }
  backward(input) {
    kernel gemm { count = batch * heads, m = seq, n = seq, k = head_dim, flops = work, reads = [head, dy], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, dy], writes = [head] }
    kernel elementwise { reads = [scores, mask], writes = [scores] }
    kernel elementwise { reads = [2 * scores], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, head], writes = [head] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = seq, flops = work, reads = [scores, head], writes = [head] }
  }
  saves [qkv, 2 * scores, mask]
}

// silu(gate) * up on a packed [.., 2 * ffn] tensor, in one kernel.
op swiglu(x: Tensor) {
  output y: with_last(x.shape, div(last(x.shape), 2))
  require last(x.shape) % 2 == 0, "the last dimension holds two halves, gate and value"
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

// The same of two tensors.
op gated_silu(gate: Tensor, value: Tensor) {
  output y: value.shape
  forward { kernel elementwise { reads = [gate, value], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, gate, value], writes = [dgate, dvalue] } }
  saves [gate, value]
}

// gelu(gate) * up on a packed [.., 2 * ffn] tensor, in one kernel.
op geglu(x: Tensor) {
  output y: with_last(x.shape, div(last(x.shape), 2))
  require last(x.shape) % 2 == 0, "the last dimension holds two halves, gate and value"
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

op tanh(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}

// The last dimension in two parts, of which the first has `width` elements; two views.
op cut(x: Tensor, width: Int) {
  output a: with_last(x.shape, width)
  output b: with_last(x.shape, last(x.shape) - width)
}

// Dimension 1 in two parts, `first` of `total`. Where the dimension is split each rank has its part
// of the one and of the other.
op cut_sequence(x: Tensor, first: Int, total: Int) {
  output a: [x.shape[0], x.shape[1] * first / total, last(x.shape)]
  output b: [x.shape[0], x.shape[1] * (total - first) / total, last(x.shape)]
}

// Two tensors side by side in the last dimension.
op join(a: Tensor, b: Tensor) {
  output y: with_last(a.shape, last(a.shape) + last(b.shape))
  whole a dim -1
  whole b dim -1
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [da, db] } }
}

// Words in groups of so many that see each other: another shape of the same, and their order.
op grouped(x: Tensor, words: Int) {
  output y: [div(x.shape[0] * x.shape[1], words), words, last(x.shape)]
  require words >= 1 and x.shape[0] * x.shape[1] % words == 0, "groups are whole: of 1 word or more, and the words a multiple of it"
  whole x dim 1
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// `count` neighbours of each sequence as one, side by side in the last dimension, or (`mean`) their mean.
op merged(x: Tensor, count: Int, mean: Bool = false) {
  output y: [x.shape[0], div(x.shape[1], count), if mean then last(x.shape) else last(x.shape) * count]
  require count >= 1 and x.shape[1] % count == 0, "`count` is 1 or more, and the sequence a multiple of it"
  whole x dim 1
  whole x dim -1
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// All but the first of each sequence; a view.
op without_first(x: Tensor) {
  output y: [x.shape[0], x.shape[1] - 1, last(x.shape)]
  whole x dim 1
}

// Words of pictures in their places among the words of a sample; `added` to what is there, or in its stead.
op placed(x: Tensor, pictures: Tensor, added: Bool = false) {
  output y: x.shape
  require numel(pictures) <= numel(x), "words of pictures are a part of a sample's: state more of these by `seq`, or fewer pixels"
  whole x dim 1
  whole x dim -1
  whole pictures dim 1
  whole pictures dim -1
  forward { kernel elementwise { reads = [pictures, if added then bytes(pictures) else 0 B], writes = [bytes(pictures)] } }
  backward(input) { kernel elementwise { reads = [bytes(pictures)], writes = [dpictures] } }
}

// The first of each sequence, [batch, hidden] of [batch, seq, hidden]: what a classifier looks at.
op first_token(x: Tensor) {
  output y: [x.shape[0], last(x.shape)]
  whole x dim 1
  forward { kernel elementwise { reads = [bytes(y)], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// Learned tokens put before each sequence, and empty ones behind it until there is a multiple of
// `pad`.
op class_token(x: Tensor, pad: Int = 1, count: Int = 1) {
  weight w: [count, last(x.shape)]
  output y: [x.shape[0], ceil_div(x.shape[1] + count, pad) * pad, last(x.shape)]
  require pad >= 1, "words are filled up to a multiple of `pad`, which is 1 or more"
  whole x dim 1
  forward { kernel elementwise { reads = [bytes(y), w], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
  backward(weight) { kernel elementwise { reads = [bytes(x.dtype) * x.shape[0] * count * last(x.shape)], writes = [dw] } }
}

// A learned token that stands for hidden ones (DINOv2): a step that hides none holds it, and no gradient reaches it.
op mask_token(x: Tensor) {
  weight w: [last(x.shape)] trained if false
  output y: x.shape
}

// Cross entropy over the last dimension, in fp32: the logits are cast, the maximum and the sum are
// taken, the gradient is written over the copy (Megatron-LM). `fused`: one kernel (Transformer
// Engine, Liger, torch.compile) reads the logits twice and writes the gradient over them; the
// backward scales it. `copied`: PyTorch's functional.cross_entropy of the cast logits, not compiled:
// cast, log-softmax and negative log-likelihood each write a tensor of their own, in both
// directions; dx comes last, when what was saved is gone.
op cross_entropy(x: Tensor, fused: Bool = false, copied: Bool = false) {
  output y: [rows(x)]
  contracts x dim -1
  require not (fused and copied), "one kernel makes no copies: `fused` and `copied` exclude one another"
  let logits = 4 B * numel(x)
  let in_place = not fused and not copied
  forward {
    kernel elementwise if not fused { reads = [x], writes = [logits], temp = if copied then logits else 0 B }
    kernel elementwise if in_place { reads = [logits] }
    kernel elementwise if not fused { reads = [logits], writes = [logits, y], temp = if copied then logits else 0 B }
    kernel elementwise if fused { reads = [x, x], writes = [x, y] }
  }
  backward(input) {
    kernel elementwise if in_place { reads = [logits], writes = [logits] }
    kernel elementwise if copied { writes = [logits], temp = logits - bytes(x) }
    kernel elementwise if copied { reads = [logits, logits], writes = [logits], temp = 2 * logits - bytes(x) }
    kernel elementwise if not fused { reads = [logits], writes = [dx] }
    kernel elementwise if fused { reads = [dx], writes = [dx] }
  }
  saves [logits] if not fused
  saves [x] if fused
}

// y[b, n', out] = conv(x[b, n, c]) over the words of a sequence, that is filled up by half of the taps at each end.
op conv1d(x: Tensor, out: Int, taps: Int, stride: Int = 1) {
  weight w: [out, last(x.shape), taps]
  weight b: [out]
  output y: [x.shape[0], div(x.shape[1] + 2 * div(taps, 2) - taps, stride) + 1, out]
  let each = taps * last(x.shape)
  require min(taps, stride) >= 1, "taps and a stride are 1 or more"
  contracts x dim -1
  whole x dim 1
  forward {
    kernel conv { m = rows(y), n = last(y.shape), k = each, flops = 2 * numel(y) * each, reads = [x, w], writes = [y] }
    kernel elementwise { reads = [y, b], writes = [y] }
  }
  backward(input) { kernel conv { m = rows(y), n = each, k = last(y.shape), flops = 2 * numel(y) * each, reads = [dy, w], writes = [dx] } }
  backward(weight) {
    kernel conv { m = last(y.shape), n = each, k = rows(y), flops = 2 * numel(y) * each, reads = [dy, x], writes = [dw] }
    kernel elementwise { reads = [dy], writes = [db] }
  }
  saves [x]
}

// y[b, out, h', w'] = conv(x[b, c, h, w]); as an implicit matrix product of b h' w' rows.
op conv2d(x: Tensor, out: Int, kernel_size: Int, stride: Int = 1, padding: Int = 0, bias: Bool = false) {
  let c = x.shape[1]
  weight w: [out, c, kernel_size, kernel_size]
  weight b: [out] if bias
  output y: [
    x.shape[0],
    out,
    div(x.shape[2] + 2 * padding - kernel_size, stride) + 1,
    div(x.shape[3] + 2 * padding - kernel_size, stride) + 1,
  ]
  let positions = y.shape[0] * y.shape[2] * y.shape[3]
  let taps = x.shape[1] * kernel_size * kernel_size
  require stride >= 1 and padding >= 0, "a stride is 1 or more, a padding 0 or more"
  contracts x dim 1
  whole x dim 2
  whole x dim 3
  forward {
    kernel conv { m = positions, n = y.shape[1], k = taps, flops = 2 * numel(y) * taps, reads = [x, w], writes = [y] }
    kernel elementwise if bias { reads = [y, b], writes = [y] }
  }
  backward(input) { kernel conv { m = positions, n = taps, k = y.shape[1], flops = 2 * numel(y) * taps, reads = [dy, w], writes = [dx] } }
  backward(weight) {
    kernel conv { m = y.shape[1], n = taps, k = positions, flops = 2 * numel(y) * taps, reads = [dy, x], writes = [dw] }
    kernel elementwise if bias { reads = [dy], writes = [db] }
  }
  saves [x]
}

op batch_norm(x: Tensor) {
  weight g: [x.shape[1]]
  weight b: [x.shape[1]]
  output y: x.shape
  forward { kernel elementwise { reads = [x, x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, dy, x, x], writes = [dx, dg, db] } }
  saves [x, 8 B * x.shape[1]]
}

op max_pool(x: Tensor, kernel_size: Int, stride: Int, padding: Int = 0) {
  output y: [
    x.shape[0],
    x.shape[1],
    div(x.shape[2] + 2 * padding - kernel_size, stride) + 1,
    div(x.shape[3] + 2 * padding - kernel_size, stride) + 1,
  ]
  require kernel_size >= 1 and stride >= 1 and padding >= 0, "a window and its stride are 1 or more, a padding 0 or more"
  whole x dim 2
  whole x dim 3
  forward { kernel elementwise { reads = [x], writes = [y, 8 B * numel(y)] } }
  backward(input) { kernel elementwise { reads = [dy, 8 B * numel(y)], writes = [dx] } }
  saves [8 B * numel(y)]
}

op average_pool(x: Tensor, kernel_size: Int, stride: Int) {
  output y: [x.shape[0], x.shape[1], div(x.shape[2] - kernel_size, stride) + 1, div(x.shape[3] - kernel_size, stride) + 1]
  require kernel_size >= 1 and stride >= 1, "a window and its stride are 1 or more"
  whole x dim 2
  whole x dim 3
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// Channels of two tensors one after the other.
op join_channels(a: Tensor, b: Tensor) {
  output y: [a.shape[0], a.shape[1] + b.shape[1], a.shape[2], a.shape[3]]
  whole a dim 1
  whole b dim 1
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [da, db] } }
}

// The mean of every channel, with the two spatial dimensions dropped.
op global_average_pool(x: Tensor) {
  output y: [x.shape[0], x.shape[1]]
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

op flatten(x: Tensor) {
  output y: [x.shape[0], div(numel(x), x.shape[0])]
}

// The square of what is above 0, as models use it whose MLPs have no gate (So et al., arXiv
// 2109.08668).
op squared_relu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}
