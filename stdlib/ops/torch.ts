// PyTorch's operators one by one, as an eager model calls them: what each keeps for its backward and
// makes on the way is what autograd saves and the operator allocates. `amp`: the format of products
// under autocast over fp32 weights; none without. Operators of its list of fp32 (norms, softmax,
// powers) then give fp32, and each product casts its input and its weight anew.
import std.ops.nn

fn _cast(x: Tensor, amp: Any) -> Bool = if amp == none then false else bytes(amp) < bytes(x.dtype)
fn _products(x: Tensor, amp: Any) -> DType = if amp == none then x.dtype else amp
fn _narrow(x: Tensor) -> Bool = bytes(x.dtype) < bytes(fp32)
fn _half(x: Tensor, amp: Any) -> Size = bytes(_products(x, amp)) * numel(x)

// FlashAttention works on tiles of 128 words, and has kernels for heads of every 32 elements
// (Dao-AILab/flash-attention, csrc/flash_attn/src): it takes as long as for so many of both. Tiles of
// the memory-efficient kernel, which takes fp32, have 64 words (PyTorch, cutlassF_f32_aligned_64x64).
fn _tiled(words: Int, q: Tensor) -> Int = (if _narrow(q) then 128 else 64) * ceil_div(words, if _narrow(q) then 128 else 64)
fn _wide_head(elements: Int, q: Tensor) -> Int = if _narrow(q) then 32 * ceil_div(elements, 32) else elements

// nn.Linear.
op torch_linear(x: Tensor, out: Int, bias: Bool = false, tied: Bool = false, table: Label = "embed", amp: Any = none) {
  weight w: [out, last(x.shape)]
  tie w with table if tied
  weight b: [out] if bias
  output y: with_last(x.shape, out) dtype _products(x, amp)
  let casts = _cast(x, amp)
  let input = _half(x, amp)
  let products = bytes(_products(x, amp)) * out * last(x.shape)
  let weight = if amp == none then bytes(w) else products
  contracts x dim -1
  forward {
    kernel elementwise if casts { reads = [x], writes = [input] }
    kernel elementwise if amp != none { reads = [w], writes = [weight] }
    kernel gemm {
      m = rows(y)
      n = last(y.shape)
      k = last(x.shape)
      dtype = _products(x, amp)
      flops = 2 * numel(y) * last(x.shape)
      reads = [input, weight]
      writes = [y]
    }
  }
  backward(input) {
    kernel gemm {
      m = rows(y)
      n = last(x.shape)
      k = last(y.shape)
      dtype = _products(x, amp)
      flops = 2 * numel(y) * last(x.shape)
      reads = [dy, weight]
      writes = [input]
      temp = if casts then input else 0 B
    }
    kernel elementwise if casts { reads = [input], writes = [dx] }
  }
  backward(weight) {
    kernel gemm {
      m = last(y.shape)
      n = last(x.shape)
      k = rows(y)
      dtype = _products(x, amp)
      flops = 2 * numel(y) * last(x.shape)
      reads = [dy, input]
      writes = [weight]
      temp = weight
    }
    kernel elementwise if amp != none { reads = [weight], writes = [dw], temp = weight }
    kernel elementwise if bias { reads = [dy], writes = [db] }
  }
  saves [x] if not casts
  saves [input] if casts
  saves [bytes(_products(x, amp)) * (out * last(x.shape) + (if bias then out else 0))] if amp != none
}

// functional.layer_norm: a kernel, in fp32 under autocast.
op torch_layernorm(x: Tensor, amp: Any = none) {
  weight g: [last(x.shape)]
  weight b: [last(x.shape)]
  let casts = amp != none and _narrow(x)
  let input = if casts then 4 B * numel(x) else bytes(x)
  output y: x.shape dtype if amp == none then x.dtype else fp32
  whole x dim -1
  forward {
    kernel elementwise if casts { reads = [x], writes = [input] }
    kernel elementwise { reads = [input, g, b], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, input, g], writes = [input], temp = if casts then input else 0 B }
    kernel elementwise if casts { reads = [input], writes = [dx] }
  }
  backward(weight) { kernel elementwise { reads = [dy, input], writes = [dg, db] } }
  saves [x] if not casts
  saves [input] if casts
  saves [8 B * rows(x)]
}

// RMS norm as models of Hugging Face write it, a kernel a line: the input in fp32, its square, the
// mean, the root, a product, a cast, the weight. `offset`: the weight is added to one and applied in
// fp32 (Gemma). `input`: the product is of the input as it was, which is kept, too (T5).
op torch_rmsnorm(x: Tensor, offset: Bool = false, input: Bool = false) {
  weight g: [last(x.shape)]
  output y: x.shape
  let narrow = _narrow(x)
  let wide = 4 B * numel(x)
  let normed = if offset then wide else bytes(x)
  let one = 4 B * rows(x)
  whole x dim -1
  forward {
    kernel elementwise if narrow { reads = [x], writes = [wide] }
    kernel elementwise { reads = [wide], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide], writes = [one], temp = wide }
    kernel elementwise { reads = [one], writes = [one] }
    kernel elementwise { reads = [one], writes = [one] }
    kernel elementwise { reads = [wide, one], writes = [wide], temp = if narrow and not offset then wide else 0 B }
    kernel elementwise if narrow and not offset { reads = [wide], writes = [normed], temp = wide }
    kernel elementwise { reads = [normed, g], writes = [if offset then wide else bytes(y)], temp = if narrow and offset then wide else 0 B }
    kernel elementwise if narrow and offset { reads = [wide], writes = [y], temp = wide }
  }
  backward(input) {
    kernel elementwise if narrow and offset { reads = [dy], writes = [wide], temp = wide }
    kernel elementwise { reads = [dy, g], writes = [normed], temp = wide }
    kernel elementwise { reads = [dy, normed], writes = [normed], temp = 2 * wide }
    kernel elementwise { reads = [normed], writes = [dg], temp = 2 * wide }
    kernel elementwise if narrow and not offset { reads = [normed], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide, one], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide, wide], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide], writes = [one], temp = 2 * wide }
    kernel elementwise { reads = [one], writes = [one], temp = wide }
    kernel elementwise { reads = [wide, one], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide, wide], writes = [wide], temp = 2 * wide }
    kernel elementwise if narrow { reads = [wide], writes = [dx], temp = wide }
  }
  saves [x] if not narrow or input
  saves [wide] if narrow
  saves [normed, one]
}

// Rotary positions (Hugging Face's apply_rotary_pos_emb), the copies that give every query head its
// keys and values (repeat_kv), and scaled_dot_product_attention: FlashAttention, and the
// memory-efficient kernel in fp32. Under autocast cosine and sine are in fp32, so is what they give,
// and the attention casts it.
op torch_attention(
  q: Tensor,
  k: Tensor,
  v: Tensor,
  heads: Int,
  kv_heads: Int,
  head_dim: Int,
  rotary: Bool = false,
  causal: Bool = true,
  amp: Any = none,
) {
  output y: q.shape
  let batch = q.shape[0]
  let seq = q.shape[1]
  let turned = if amp == none then bytes(q) else 4 B * numel(q)
  let turned_keys = if amp == none then bytes(k) else 4 B * numel(k)
  let repeats = kv_heads > 1 and kv_heads < heads // of one head all take views
  let work = (if causal then 1 else 2) * batch * heads * seq * seq * head_dim
  let done = (if causal then 1 else 2) * batch * heads * _tiled(seq, q) * _tiled(seq, q) * _wide_head(head_dim, q)
  let statistics = 4 B * batch * heads * seq
  require min(heads, kv_heads, head_dim) >= 1, "heads and their width are 1 or more"
  require heads % kv_heads == 0, "queries share keys and values in groups of equal size: `heads` must be a multiple of `kv_heads`"
  whole q dim 1
  forward {
    kernel elementwise if rotary { reads = [q], writes = [turned], temp = turned }
    kernel elementwise if rotary { reads = [bytes(q) / 2], writes = [bytes(q) / 2], temp = turned + bytes(q) / 2 }
    kernel elementwise if rotary { reads = [q], writes = [q], temp = turned + bytes(q) + bytes(q) / 2 }
    kernel elementwise if rotary { reads = [q], writes = [turned], temp = 2 * turned + bytes(q) }
    kernel elementwise if rotary { reads = [2 * turned], writes = [turned], temp = 2 * turned }
    kernel elementwise if rotary { reads = [k], writes = [turned_keys], temp = turned }
    kernel elementwise if rotary { reads = [bytes(k) / 2], writes = [bytes(k) / 2], temp = turned }
    kernel elementwise if rotary { reads = [k], writes = [k], temp = turned }
    kernel elementwise if rotary { reads = [k], writes = [turned_keys], temp = turned }
    kernel elementwise if rotary { reads = [2 * turned_keys], writes = [turned_keys], temp = turned }
    kernel elementwise if repeats { reads = [turned_keys], writes = [turned], temp = turned }
    kernel elementwise if repeats { reads = [v], writes = [q], temp = turned }
    kernel elementwise if rotary and amp != none { reads = [turned], writes = [q], temp = turned }
    kernel elementwise if rotary and amp != none { reads = [turned], writes = [q], temp = turned }
    kernel attention {
      batch = batch
      seq = _tiled(seq, q)
      heads = heads
      kv_heads = heads
      head_dim = _wide_head(head_dim, q)
      causal = if causal then 1 else 0
      flops = 2 * done
      model_flops = 2 * work
      reads = [3 * bytes(q)]
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward {
      batch = batch
      seq = _tiled(seq, q)
      heads = heads
      kv_heads = heads
      head_dim = _wide_head(head_dim, q)
      causal = if causal then 1 else 0
      flops = 5 * done
      model_flops = 5 * work
      reads = [3 * bytes(q), y, dy]
      writes = [3 * bytes(q)]
      temp = if repeats then 2 * bytes(q) else 0 B
    }
    kernel elementwise if rotary and amp != none { reads = [q], writes = [turned] }
    kernel elementwise if rotary and amp != none { reads = [q], writes = [turned] }
    kernel elementwise if repeats { reads = [q], writes = [v] }
    kernel elementwise if repeats { reads = [turned], writes = [turned_keys] }
    kernel elementwise if rotary { reads = [turned_keys], writes = [turned_keys] }
    kernel elementwise if rotary { reads = [turned_keys], writes = [turned_keys] }
    kernel elementwise if rotary { reads = [2 * turned_keys], writes = [dk] }
    kernel elementwise if rotary { reads = [turned], writes = [turned] }
    kernel elementwise if rotary { reads = [turned], writes = [turned] }
    kernel elementwise if rotary { reads = [turned], writes = [turned] }
    kernel elementwise if rotary { reads = [2 * turned], writes = [dq] }
  }
  saves [q] if not rotary
  saves [k, v] if not rotary and not repeats
  saves [y, statistics]
  saves [bytes(q)] if rotary
  saves [2 * bytes(q)] if repeats
  saves [bytes(k), v] if rotary and not repeats
}

// Queries, keys and values out of one product, as three views of it.
op torch_packed_attention(qkv: Tensor, heads: Int, head_dim: Int, causal: Bool = false) {
  output y: with_last(qkv.shape, heads * head_dim)
  let batch = qkv.shape[0]
  let seq = qkv.shape[1]
  let work = (if causal then 1 else 2) * batch * heads * seq * seq * head_dim
  let done = (if causal then 1 else 2) * batch * heads * _tiled(seq, qkv) * _tiled(seq, qkv) * _wide_head(head_dim, qkv)
  require last(qkv.shape) == 3 * heads * head_dim, "queries, keys and values are packed: 3 heads of head_dim elements"
  whole qkv dim 1
  forward {
    kernel attention {
      batch = batch
      seq = _tiled(seq, qkv)
      heads = heads
      kv_heads = heads
      head_dim = _wide_head(head_dim, qkv)
      causal = if causal then 1 else 0
      flops = 2 * done
      model_flops = 2 * work
      reads = [qkv]
      writes = [y]
    }
  }
  backward(input) {
    kernel attention_backward {
      batch = batch
      seq = _tiled(seq, qkv)
      heads = heads
      kv_heads = heads
      head_dim = _wide_head(head_dim, qkv)
      causal = if causal then 1 else 0
      flops = 5 * done
      model_flops = 5 * work
      reads = [qkv, y, dy]
      writes = [qkv]
    }
    kernel elementwise { reads = [qkv], writes = [dqkv] }
  }
  saves [qkv, y, 4 B * batch * heads * seq]
}

// Attention by a product, a softmax in fp32, dropout and a product (T5), whose operands are copied to
// lie as batched products want them, where there are several sequences. Scores live as long as the
// function. `held`: biases of scores
// by position, for all layers.
op torch_score_attention(q: Tensor, k: Tensor, v: Tensor, heads: Int, head_dim: Int, held: Size = 0 B) {
  output y: q.shape
  let batch = q.shape[0]
  let seq = q.shape[1]
  let keys = k.shape[1]
  let count = batch * heads * seq * keys
  let scores = bytes(q.dtype) * count
  let wide = 4 B * count
  let narrow = _narrow(q)
  let copies = batch > 1
  let work = 2 * count * head_dim
  require heads >= 1 and head_dim >= 1, "heads and their width are 1 or more"
  whole q dim 1
  whole k dim 1
  whole v dim 1
  forward {
    kernel elementwise if copies { reads = [q], writes = [q] }
    kernel elementwise if copies { reads = [k], writes = [k] }
    kernel gemm {
      count = batch * heads
      m = seq
      n = keys
      k = head_dim
      flops = work
      reads = [q, k]
      writes = [scores]
      temp = held
    }
    kernel elementwise { reads = [2 * scores], writes = [scores], temp = held }
    kernel elementwise if narrow { reads = [scores], writes = [wide], temp = held }
    kernel elementwise { reads = [wide], writes = [wide], temp = held }
    kernel elementwise if narrow { reads = [wide], writes = [scores], temp = held + scores }
    kernel elementwise { reads = [scores], writes = [scores, 1 B * count], temp = held + scores + (if narrow then scores else 0 B) }
    kernel elementwise if copies { reads = [v], writes = [v], temp = held + scores }
    kernel gemm {
      count = batch * heads
      m = seq
      n = head_dim
      k = keys
      flops = work
      reads = [scores, v]
      writes = [y]
      temp = held + scores + bytes(y)
    }
    kernel elementwise { reads = [y], writes = [y], temp = held + scores + bytes(y) }
  }
  backward(input) {
    kernel elementwise { reads = [dy], writes = [dy] }
    kernel gemm { count = batch * heads, m = keys, n = head_dim, k = seq, flops = work, reads = [scores, dy], writes = [dv] }
    kernel gemm { count = batch * heads, m = seq, n = keys, k = head_dim, flops = work, reads = [dy, v], writes = [scores], temp = scores }
    kernel elementwise { reads = [scores, 1 B * count], writes = [scores], temp = scores }
    kernel elementwise if narrow { reads = [scores], writes = [wide], temp = wide }
    kernel elementwise { reads = [2 * wide], writes = [wide], temp = if narrow then 2 * wide - scores else wide }
    kernel elementwise if narrow { reads = [wide], writes = [scores], temp = wide }
    kernel elementwise { reads = [2 * scores], writes = [scores] }
    kernel gemm { count = batch * heads, m = seq, n = head_dim, k = keys, flops = work, reads = [scores, k], writes = [dq] }
    kernel gemm { count = batch * heads, m = keys, n = head_dim, k = seq, flops = work, reads = [scores, q], writes = [dk] }
  }
  saves [q, k, v] if not copies
  saves [bytes(q) + bytes(k) + bytes(v)] if copies
  saves [wide, scores, 1 B * count]
  saves [y]
}

op torch_relu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}

// nn.Conv2d of pictures that lie as [samples, places, channels], giving so many places: each reads
// `taps` numbers; `depthwise`: of its own channel.
op torch_conv(x: Tensor, places: Int, out: Int, taps: Int, depthwise: Bool = false, amp: Any = none) {
  weight w: [out, taps]
  weight b: [out]
  output y: [x.shape[0], places, out] dtype _products(x, amp)
  let casts = _cast(x, amp)
  let input = _half(x, amp)
  let product = 2 * numel(y) * taps
  let rows = x.shape[0] * places * (if depthwise then out else 1)
  let width = if depthwise then 1 else out
  let weight = bytes(_products(x, amp)) * out * taps
  forward {
    kernel elementwise if casts { reads = [x], writes = [input] }
    kernel conv { m = rows, n = width, k = taps, dtype = _products(x, amp), flops = product, reads = [input, w], writes = [y] }
    kernel elementwise { reads = [y], writes = [y] }
  }
  backward(input) {
    kernel conv {
      m = rows
      n = taps
      k = width
      dtype = _products(x, amp)
      flops = product
      reads = [dy, w]
      writes = [input]
      temp = if casts then input else 0 B
    }
    kernel elementwise if casts { reads = [input], writes = [dx] }
  }
  backward(weight) {
    kernel conv { m = width, n = taps, k = rows, dtype = _products(x, amp), flops = product, reads = [dy, input], writes = [dw] }
    kernel elementwise { reads = [dy], writes = [db] }
  }
  saves [x] if not casts
  saves [input] if casts
  saves [weight] if amp != none
}

// Global response normalization (ConvNeXt V2, arXiv 2301.00808; timm's GlobalResponseNorm): a norm over
// the places, its share of the mean over channels, a product, addcmul and a sum.
op torch_grn(x: Tensor, amp: Any = none) {
  weight g: [last(x.shape)]
  weight b: [last(x.shape)]
  output y: x.shape dtype if amp == none then x.dtype else fp32
  let wide = if amp == none then bytes(x) else 4 B * numel(x)
  let norms = 4 B * x.shape[0] * last(x.shape)
  whole x dim 1
  whole x dim -1
  forward {
    kernel elementwise if amp != none { reads = [x], writes = [wide] }
    kernel elementwise { reads = [wide], writes = [norms] }
    kernel elementwise { reads = [norms], writes = [norms] }
    kernel elementwise { reads = [norms], writes = [norms] }
    kernel elementwise { reads = [x, norms], writes = [wide] }
    kernel elementwise { reads = [wide, g, b], writes = [wide], temp = wide }
    kernel elementwise { reads = [x, wide], writes = [y], temp = wide }
  }
  backward(input) {
    kernel elementwise { reads = [dy, wide], writes = [wide], temp = wide }
    kernel elementwise { reads = [dy, g], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide, norms], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide, x], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide], writes = [norms] }
    kernel elementwise { reads = [wide, norms], writes = [wide], temp = wide }
    kernel elementwise { reads = [2 * wide], writes = [dx] }
  }
  backward(weight) { kernel elementwise { reads = [dy], writes = [dg, db] } }
  saves [x, wide, norms]
  saves [wide] if amp != none
}

op torch_silu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

op torch_mul(a: Tensor, b: Tensor) {
  output y: a.shape
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
  backward(input) {
    kernel elementwise { reads = [dy, a], writes = [db] }
    kernel elementwise { reads = [dy, b], writes = [da] }
  }
  saves [a, b]
}

// A residual: in the wider of both formats.
op torch_add(a: Tensor, b: Tensor) {
  output y: a.shape dtype if _narrow(a) then b.dtype else a.dtype
  forward { kernel elementwise { reads = [a, b], writes = [y] } }
}

// x * sigmoid(1.702 x), three kernels (Hugging Face's QuickGELUActivation): keeps the sigmoid, too.
op torch_quick_gelu(x: Tensor) {
  output y: x.shape
  let same = bytes(x)
  forward {
    kernel elementwise { reads = [x], writes = [same], temp = same }
    kernel elementwise { reads = [same], writes = [same], temp = same }
    kernel elementwise { reads = [x, same], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, same], writes = [dx] }
    kernel elementwise { reads = [dy, x], writes = [same], temp = same }
    kernel elementwise { reads = [same, same], writes = [same] }
    kernel elementwise { reads = [same], writes = [same] }
    kernel elementwise { reads = [same, same], writes = [dx] }
  }
  saves [x, same]
}

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), a kernel an operation (Hugging Face's
// NewGELUActivation). The power is in fp32 under autocast, and with it all but the first product.
op torch_new_gelu(x: Tensor, amp: Any = none) {
  output y: x.shape dtype if amp == none then x.dtype else fp32
  let same = bytes(x)
  let wide = if amp == none then bytes(x) else 4 B * numel(x)
  forward {
    kernel elementwise { reads = [x], writes = [same], temp = same }
    kernel elementwise if amp != none { reads = [x], writes = [wide] }
    kernel elementwise { reads = [wide], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [x, wide], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide], writes = [wide], temp = 2 * wide }
    kernel elementwise { reads = [wide], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide], writes = [wide] }
    kernel elementwise { reads = [same, wide], writes = [y] }
  }
  backward(input) {
    kernel elementwise { reads = [dy, wide], writes = [dx], temp = wide }
    kernel elementwise { reads = [dy, same], writes = [wide], temp = wide }
    kernel elementwise { reads = [wide, wide], writes = [wide] }
    kernel elementwise { reads = [wide], writes = [wide] }
    kernel elementwise { reads = [wide], writes = [wide] }
    kernel elementwise { reads = [wide, wide], writes = [wide] }
    kernel elementwise { reads = [wide, same], writes = [dx] }
    kernel elementwise { reads = [same], writes = [same] }
  }
  saves [x] if amp == none
  saves [wide] if amp != none
  saves [same, 2 * wide]
}

// nn.GELU, a kernel each way.
op torch_gelu(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

// Squares of an image through one product each (a convolution whose stride is its kernel): the
// pixels are kept, cast under autocast. `first`: a word before them.
op torch_patches(pixels: Tensor, words: Int, patch: Int, hidden: Int, bias: Bool, first: Bool, amp: Any = none) {
  weight w: [hidden, 3, patch, patch]
  weight b: [hidden] if bias
  weight c: [hidden] if first
  weight p: [words + (if first then 1 else 0), hidden]
  output y: [pixels.shape[0], words + (if first then 1 else 0), hidden] dtype pixels.dtype
  let taps = 3 * patch * patch
  let rows = pixels.shape[0] * words
  let casts = _cast(pixels, amp)
  forward {
    kernel elementwise if casts { reads = [pixels], writes = [_half(pixels, amp)] }
    kernel conv {
      m = rows
      n = hidden
      k = taps
      dtype = _products(pixels, amp)
      flops = 2 * rows * hidden * taps
      reads = [_half(pixels, amp), w]
      writes = [y]
    }
    kernel elementwise if first { reads = [y], writes = [y], temp = bytes(y) }
    kernel elementwise { reads = [y, p], writes = [y], temp = bytes(y) }
  }
  backward(weight) {
    kernel elementwise { reads = [dy], writes = [dp] }
    kernel elementwise { reads = [dy], writes = [bytes(dy)], temp = bytes(y) }
    kernel conv {
      m = hidden
      n = taps
      k = rows
      dtype = _products(pixels, amp)
      flops = 2 * rows * hidden * taps
      reads = [dy, _half(pixels, amp)]
      writes = [dw]
      temp = bytes(y)
    }
  }
  saves [pixels]
  saves [_half(pixels, amp)] if casts
}

op torch_embedding(ids: Tensor, vocab: Int, hidden: Int, tied: Bool = false, table: Label = "embed") {
  weight w: [vocab, hidden]
  tie w with table if tied
  output y: ids.shape + [hidden]
  forward { kernel elementwise { reads = [ids, bytes(y)], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy, ids], writes = [dw] } }
  saves [ids]
}

// Words' embeddings and those of their positions, added.
op torch_positions(x: Tensor, positions: Int) {
  weight w: [positions, last(x.shape)]
  output y: x.shape
  forward { kernel elementwise { reads = [x, w], writes = [y] } }
  backward(weight) { kernel elementwise { reads = [dy], writes = [dw] } }
}

op torch_dropout(x: Tensor) {
  output y: x.shape
  let mask = 1 B * numel(x)
  forward { kernel elementwise { reads = [x], writes = [y, mask] } }
  backward(input) { kernel elementwise { reads = [dy, mask], writes = [dx] } }
  saves [mask]
}

// Elements above or below a bound are set to it: isinf, any, where and clamp.
op torch_clamp(x: Tensor) {
  output y: x.shape
  let flags = 1 B * numel(x)
  forward {
    kernel elementwise { reads = [x], writes = [flags], temp = flags }
    kernel elementwise { reads = [flags] }
    kernel elementwise { reads = [x], writes = [y] }
  }
  backward(input) { kernel elementwise { reads = [dy, x], writes = [dx] } }
  saves [x]
}

// A product with a number.
op torch_scale(x: Tensor) {
  output y: x.shape
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// Logits cast to fp32.
op torch_float(x: Tensor) {
  output y: x.shape dtype fp32
  forward { kernel elementwise { reads = [x], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// All but the last word of each sequence, as a tensor of its own where there are several sequences.
op torch_shifted(x: Tensor) {
  output y: [x.shape[0], x.shape[1] - 1, last(x.shape)]
  let copies = x.shape[0] > 1
  forward { kernel elementwise if copies { reads = [bytes(y)], writes = [y] } }
  backward(input) { kernel elementwise { reads = [dy], writes = [dx] } }
}

// log_softmax; `held`: what variables of the model hold meanwhile (logits of other formats, keys and
// values for later words).
op torch_log_softmax(x: Tensor, held: Size = 0 B) {
  output y: x.shape
  forward { kernel elementwise { reads = [x, x], writes = [y], temp = held } }
  backward(input) { kernel elementwise { reads = [dy, y], writes = [dx] } }
  saves [y]
}
op torch_nll_loss(x: Tensor, held: Size = 0 B) {
  output y: [1]
  forward { kernel elementwise { reads = [4 B * rows(x)], writes = [y], temp = held } }
  backward(input) { kernel elementwise { writes = [dx] } }
  saves [x]
}
