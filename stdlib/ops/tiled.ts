// Parts of a model that go over their words in tiles, so that what is wide is there of one tile at a time.
import std.ops.nn

// The head and the loss in one: a tile's logits become its loss and its gradients at once, and the backward scales what
// the forward has made (Liger-Kernel, ops/fused_linear_cross_entropy.py: a tile's logits are about as large as `x`).
op tiled_loss(x: Tensor, out: Int, tied: Bool = false, table: Label = "embed", frozen: Bool = false) {
  weight w: [out, last(x.shape)] trained if not frozen
  tie w with table if tied
  output y: [rows(x)]
  contracts x dim -1
  let logits = bytes(x.dtype) * rows(x) * out
  let work = 2 * numel(x) * out
  forward {
    kernel gemm {
      m = rows(x)
      n = out
      k = last(x.shape)
      dtype = x.dtype
      flops = work
      reads = [x, w]
      writes = [logits]
      temp = bytes(x)
    }
    kernel elementwise { reads = [logits, logits], writes = [logits, y] }
    kernel gemm { m = rows(x), n = last(x.shape), k = out, dtype = x.dtype, flops = work, reads = [logits, w], writes = [bytes(x)] }
    kernel gemm if not frozen {
      m = out
      n = last(x.shape)
      k = rows(x)
      dtype = x.dtype
      flops = work
      reads = [logits, x]
      writes = [bytes(w)]
    }
  }
  backward(input) { kernel elementwise { reads = [bytes(x)], writes = [dx] } }
  backward(weight) { kernel elementwise if not frozen { reads = [bytes(w)], writes = [dw] } }
  saves [bytes(x)]
  saves [bytes(w)] if not frozen
}

// The MLP: of what lies between its products a tile of `tile` words is there at a time, and the backward makes it again
// (Arctic Long Sequence Training, arXiv 2506.13996, section 3.1; deepspeed/runtime/sequence_parallel/ulysses_sp.py:
// as many tiles as the words divided by the hidden size).
op tiled_mlp(x: Tensor, ffn: Int, gated: Bool = true, tile: Int = last(x.shape)) {
  let up = if gated then 2 * ffn else ffn
  weight w: [up, last(x.shape)]
  weight v: [last(x.shape), ffn]
  output y: x.shape
  contracts x dim -1
  let words = min(tile, rows(x))
  let between = bytes(x.dtype) * (up + ffn) * words
  let wide = bytes(x.dtype) * up * rows(x)
  let narrow = bytes(x.dtype) * ffn * rows(x)
  let first = 2 * numel(x) * up
  let second = 2 * numel(x) * ffn
  forward {
    kernel gemm { m = rows(x), n = up, k = last(x.shape), dtype = x.dtype, flops = first, reads = [x, w], writes = [wide], temp = between }
    kernel elementwise { reads = [wide], writes = [narrow], temp = between }
    kernel gemm {
      m = rows(x)
      n = last(x.shape)
      k = ffn
      dtype = x.dtype
      flops = second
      reads = [narrow, v]
      writes = [y]
      temp = between
    }
  }
  backward(input) {
    kernel gemm {
      m = rows(x)
      n = up
      k = last(x.shape)
      dtype = x.dtype
      flops = first
      reads = [x, w]
      writes = [wide]
      temp = 2 * between
    }
    kernel elementwise { reads = [wide], writes = [narrow], temp = 2 * between }
    kernel gemm {
      m = rows(x)
      n = ffn
      k = last(x.shape)
      dtype = x.dtype
      flops = second
      reads = [dy, v]
      writes = [narrow]
      temp = 2 * between
    }
    kernel elementwise { reads = [narrow, wide], writes = [wide], temp = 2 * between }
    kernel gemm {
      m = rows(x)
      n = last(x.shape)
      k = up
      dtype = x.dtype
      flops = first
      reads = [wide, w]
      writes = [dx]
      temp = 2 * between
    }
  }
  backward(weight) {
    kernel gemm {
      m = last(x.shape)
      n = ffn
      k = rows(x)
      dtype = x.dtype
      flops = second
      reads = [dy, narrow]
      writes = [dv]
      temp = between
    }
    kernel gemm { m = up, n = last(x.shape), k = rows(x), dtype = x.dtype, flops = first, reads = [wide, x], writes = [dw], temp = between }
  }
  saves [x]
}
