// Matrix products in 8 bits (Micikevicius et al., arXiv 2209.05433), as Transformer Engine does
// them: what goes in is cast before each product, and kept so for the backward. Weights are cast
// once a step, with the optimizer. `format` is the recipe: `fp8` with a scale a tensor, `fp8_block`
// with one for 128 numbers (DeepSeek-V3), `mxfp8` with one for 32. `current`: a scale a tensor is its
// own, not that of earlier steps. Weights that are not trained take no second copy (`cast_traffic`).
strategy fp8_products(ops: Label = "layer[*]", format: DType = fp8, current: Bool = false) {
  let twice = cast_traffic(format, current, 2)
  let once = cast_traffic(format, current, 1)
  let blocks = rows_of_block(format)
  rule products {
    match linear | expert_linear as ops
    set products = format
    set moved = twice
  }
  rule frozen optional {
    match linear as ops where frozen
    set moved = once
  }
  rule blocks optional {
    match expert_linear as ops
    set filled = blocks
  }
}

// The same in 4 bits (NVIDIA, "Pretraining LLMs with NVFP4", arXiv 2509.25149). `ops`: those whose
// products are; the recipe leaves the last layers in 16 bits.
strategy fp4_products(ops: Label = "layer[*]", format: DType = nvfp4) {
  let twice = cast_traffic(format, false, 2)
  let once = cast_traffic(format, false, 1)
  let blocks = rows_of_block(format)
  rule products {
    match linear | expert_linear as ops
    set products = format
    set moved = twice
  }
  rule frozen optional {
    match linear as ops where frozen
    set moved = once
  }
  rule blocks optional {
    match expert_linear as ops
    set filled = blocks
  }
}

// Tokens of an expert that narrow products take together: 16 in 8 bits, 32 where 32 share a scale
// and in 4 bits; Megatron-Core fills each expert's up to them (get_fp8_align_size).
fn rows_of_block(format: DType) -> Int = if format == fp8 or format == fp8_block then 16 else 32

// Bytes that Transformer Engine moves to cast an element of 16 bits. Scales of blocks are found in
// the same pass, which writes `copies`: the operand scaled along its rows, and along its columns as
// the weight gradient takes it. A scale a tensor is of earlier steps, or found by a pass before
// (`current`: Float8CurrentScaling); both products take one copy (Hopper turns it: `turned`). NVFP4
// has a scale a tensor besides those of blocks, so a pass before finds the largest numbers, as they
// are and after the Hadamard transform of the columns (nvte_hadamard_transform_amax); one more writes
// both copies (row_cast_col_hadamard_transform_cast_fusion).
fn cast_traffic(format: DType, current: Bool = false, copies: Int = 2) -> Size = match format {
  nvfp4 -> 4 B + copies * bytes(format)
  fp8 -> bytes(format) + (if current then 4 B else 2 B)
  _ -> 2 B + copies * bytes(format)
}
