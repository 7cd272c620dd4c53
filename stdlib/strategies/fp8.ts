// Matrix products in fp8 (Micikevicius et al., arXiv 2209.05433), as Transformer Engine does them: what goes in is cast before each product, and kept
// in fp8 for the backward. Weights are cast once a step, with the optimizer.
strategy fp8_products(ops: Label = "layer[*]") {
  rule products {
    match linear | expert_linear as ops
    set quantized = true
  }
}
