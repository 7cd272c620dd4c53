// Number formats of a step. `accumulate`: bytes moved for a parameter to add a micro-batch's weight gradient to the accumulated one; 0 B when
// the matrix product adds in place.
fn mixed(compute: DType = bf16, gradients: DType = fp32, accumulate: Size = 0 B) = {
  compute: compute,
  weights: compute,
  gradients: gradients,
  accumulate: accumulate,
}
fn full_precision() = { compute: fp32, weights: fp32, gradients: fp32, accumulate: 0 B }
