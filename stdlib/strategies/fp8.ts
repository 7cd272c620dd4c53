// Matrix products in 8 bits (Micikevicius et al., arXiv 2209.05433), as Transformer Engine does
// them: what goes in is cast before each product, and kept so for the backward. Weights are cast
// once a step, with the optimizer. `format` is the recipe: `fp8` with a scale a tensor, `fp8_block`
// with one for 128 numbers (DeepSeek-V3), `mxfp8` with one for 32.
strategy fp8_products(ops: Label = "layer[*]", format: DType = fp8) {
  rule products {
    match linear | expert_linear as ops
    set products = format
  }
}

// The same in 4 bits (NVIDIA, "Pretraining LLMs with NVFP4", arXiv 2509.25149). `ops`: those whose
// products are; the recipe leaves the last layers in 16 bits.
strategy fp4_products(ops: Label = "layer[*]", format: DType = nvfp4) {
  rule products {
    match linear | expert_linear as ops
    set products = format
  }
}
