// What a few measured steps can say about a machine: `trainspec calibrate PLAN MEASURED.csv` fits a
// factor on the times of each of these, as far as the steps tell them apart (doc/calibration.md).
//
//   kernels: NAMES     kernels of these families, and of the number formats of `formats`; a name that
//                      ends in `*` stands for all that begin so. A kernel belongs to the first that
//                      takes it
//   host: true         what the host spends on issuing work and on waiting for itself
//   calls: "inside"    collectives and messages that stay inside an island (a node, an NVLink domain)
//   calls: "between"   those that leave it
//   prior              how far such a factor usually is from 1: the deviation of its logarithm
//
// `memory` is the constant that devices hold besides what a plan says, with its own prior.
// `step` is what a measured step differs by from any such plan, however it is calibrated: where
// estimation begins; measured steps that scatter more or less move it. It was chosen by hand from
// 0.02, 0.05 and 0.08 with the rows of `./dev accuracy calibrated` in view: plans whose profiles are
// fitted leave 4 to 6 % of published steps, and with 0.02 three rows are believed too much.
//
// Priors are chosen by hand, with the development rows that `./dev accuracy` prints in view: the
// products of training_* in 16 bits hold whole models to 3 to 6 %, in 8 bits and fewer to about
// 10 %; attention by library and experts to 10 to 15 %; networks between nodes to 20 to 25 % on
// clusters not seen; the host, which recipes hardly state, to half of it. Wider priors cost little:
// steps that say nothing leave a factor at 1, and the prior is then what its interval rests on.
record Quantity {
  name: String
  kernels: String = ""
  formats: String = "*"
  host: Bool = false
  calls: String = ""
  prior: Real
}

let quantities: List[Quantity] = [
  { name: "products, 8 bits or fewer", kernels: "gemm gemm_* conv", formats: "fp8* mxfp8 nvfp4 mxfp4 int8 fp4*", prior: 0.12 },
  { name: "products", kernels: "gemm gemm_* conv", prior: 0.08 },
  { name: "experts", kernels: "grouped_gemm*", prior: 0.15 },
  { name: "attention", kernels: "attention*", prior: 0.15 },
  { name: "other kernels", kernels: "*", prior: 0.15 },
  { name: "host", host: true, prior: 0.4 },
  { name: "network inside nodes", calls: "inside", prior: 0.15 },
  { name: "network between nodes", calls: "between", prior: 0.25 },
]

// What the steps of a framework without a profile say of it, wherever it runs (`--learn framework`):
// how fast its kernels, its host and its calls are beside those of the plan. Priors are by hand:
// products are a library's, whatever calls them; attention is one of several; the other kernels are
// eager or compiled, and what a plan does not say (casts, losses, metrics) is among them.
let framework_quantities: List[Quantity] = [
  { name: "products", kernels: "gemm gemm_* grouped_gemm* conv", prior: 0.1 },
  { name: "attention", kernels: "attention*", prior: 0.3 },
  { name: "other kernels", kernels: "*", prior: 0.7 },
  { name: "host", host: true, prior: 0.7 },
  { name: "calls inside nodes", calls: "inside", prior: 0.5 },
  { name: "calls between nodes", calls: "between", prior: 0.7 },
]
// ... and what three of its steps taught; a plan's `calibration` takes it.
record Learnt {
  framework: String
  plan: String
  runs: Int // measured
  noise: Real // deviation of the logarithm of a measured step: before any was
  residual: Real // ... as these have it
  quantities: List[Quantity]
  factors: List[Real] // on the times of each
  covariance: List[List[Real]] // of the factors' logarithms
}
let memory = 2 GiB
let step = 0.05
