// Number formats of a step: tensors, weights and all kernels are in `compute`. That is never fp8,
// in which only products are done, each of operands cast for it: residuals, norms and softmax of
// the recipes that train in fp8 are in bf16 (Micikevicius et al., arXiv 2209.05433; Transformer
// Engine). `accumulate`: bytes moved for a parameter to add a micro-batch's weight gradient to the
// accumulated one; 0 B when the matrix product adds in place. `arithmetic`: what kernels of a
// family compute in where their tensors are fp32.
fn mixed(compute: DType = bf16, gradients: DType = fp32, accumulate: Size = 0 B) -> Precision = if bytes(compute) < bytes(bf16) then refuse(
  "products alone are done in 8 bits: write `mixed(bf16)`, and `fp8_products()` of std.strategies.fp8 in `apply`",
) else { compute: compute, weights: compute, gradients: gradients, accumulate: accumulate }
fn full_precision(arithmetic: Record = {}, accumulate: Size = 0 B) -> Precision = {
  compute: fp32,
  weights: fp32,
  gradients: fp32,
  accumulate: accumulate,
  arithmetic: arithmetic,
}
// fp32 as PyTorch runs it on tensor cores by default: TF32 in convolutions, not in matrix products
// (torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32; PyTorch 1.12 and later).
// With both: full_precision({ conv: tf32, gemm: tf32 }).
fn torch_fp32() -> Precision = full_precision({ conv: tf32 })
