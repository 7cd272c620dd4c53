// ConvNeXt V2 (Woo et al., arXiv 2301.00808) of timm as PyTorch runs it without a compiler (1.0:
// convnext.py; std.ops.torch). Pictures lie as [samples, places, channels]. `amp`: products under
// autocast.
import std.ops.torch, std.ops.nn

block convnext_mlp(x: Tensor, amp: Any) {
  let width = last(x.shape)
  u = torch_linear(x, out: 4 * width, bias: true, amp: amp) as up
  g = torch_gelu(u) as gelu
  r = torch_grn(g, amp: amp) as grn
  yield torch_linear(r, out: width, bias: true, amp: amp) as down
}

block convnext_block(x: Tensor, amp: Any) {
  c = torch_conv(x, places: x.shape[1], out: last(x.shape), taps: 49, depthwise: true, amp: amp) as conv
  n = torch_layernorm(c, amp: amp) as ln
  m = convnext_mlp(n, amp) as mlp
  yield torch_add(x, m) as residual
}

block convnext_down(x: Tensor, out: Int, amp: Any) {
  n = torch_layernorm(x, amp: amp) as ln
  yield torch_conv(n, places: x.shape[1] / 4, out: out, taps: 4 * last(x.shape), amp: amp) as conv
}

model timm_convnext(depths: List[Int], widths: List[Int], image: Int, classes: Int = 1000, amp: Any = none) {
  require len(depths) == 4 and len(widths) == 4, "a network has four stages"
  require image % 32 == 0, "an image is so many patches of 32 by 32 pixels"
  pixels = images(batch, [image * image, 3]) as images
  s = torch_conv(pixels, places: image * image / 16, out: widths[0], taps: 48, amp: amp) as stem
  x = torch_layernorm(s, amp: amp) as stem_norm
  repeat depths[0] as first {
    x = convnext_block(x, amp)
  }
  x = convnext_down(x, widths[1], amp) as second_down
  repeat depths[1] as second {
    x = convnext_block(x, amp)
  }
  x = convnext_down(x, widths[2], amp) as third_down
  repeat depths[2] as third {
    x = convnext_block(x, amp)
  }
  x = convnext_down(x, widths[3], amp) as fourth_down
  repeat depths[3] as fourth {
    x = convnext_block(x, amp)
  }
  p = first_token(x) as pool
  n = torch_layernorm(p, amp: amp) as norm
  logits = torch_linear(n, out: classes, bias: true, amp: amp) as head
  loss = cross_entropy(logits) as loss
}
fn timm_convnextv2_huge(image: Int, amp: Any = none) -> Model = timm_convnext([3, 3, 27, 3], [352, 704, 1408, 2816], image, amp: amp)
