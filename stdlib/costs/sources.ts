// Costs of kernels in long training runs: the fits of std/fits, which come from short bursts, and
// the factor by which matrix products run slower under a whole step's power. What no fit knows is
// answered by the roofline, at the shares of bandwidth and peak rate named here.
//
// A100: the factor is fitted to the steps of Narayanan et al. (arXiv 2104.04473, table 1) and holds
// for those of Korthikanti et al. (arXiv 2205.05198, table 5) within 4 % on average: `./dev
// accuracy korthikanti`; the fit is `accuracy --fit narayanan power=1.1:1:1.4`. H100: factor and
// bandwidth are fitted to steps of nanotron with models of 1.34 and 8.86 billion parameters: `./dev
// accuracy nanotron`. The numbers stand in std.costs.training.
import std.gpus.nvidia, std.costs.training

// `experts`, `latent`: fits of the products of all experts in one launch, and of attention whose
// keys and values are wider or narrower than its queries (multi-head latent attention). Without the
// first, experts are priced as plain products. `full`: sources of products in fp32.
fn training_costs(
  file: String,
  kind: Gpu,
  power: Real,
  flops: Real,
  bytes: Real,
  experts: String = "",
  latent: String = "",
  backward: Real = 2.5,
  latent_backward: Real = 2.5,
  full: List = [],
) = full + [
  slower(fit(file), by: power, family: "gemm"),
  like(fit(file), family: "attention_backward", as: "attention", by: backward),
  // one expert is a plain product, whatever grouped kernels do with several
  slower(like(fit(file), family: "grouped_gemm", as: "gemm", where: { count: 1 }), by: power),
  if experts == "" then none else slower(fit(experts), by: power),
  slower(like(fit(file), family: "grouped_gemm", as: "gemm"), by: power),
  if latent == "" then none else fit(latent),
  if latent == "" then none else like(fit(latent), family: "attention_backward", as: "attention", by: latent_backward),
  roofline(kind, flops: flops, bytes: bytes, floor: 2 us),
]

// Sources for the ranks on one gpu: `costs = on(h100_sxm, training_h100) + on(a100_sxm_80g, mine)`.
// Sources that name their device speak of it alone without this.
fn on(kind: Gpu, sources: List) = [if s == none then none else on_gpu(s, kind) for s in sources]

fn _of(c: TrainingCosts) = training_costs(
  c.fit,
  kind: c.kind,
  power: c.spread,
  flops: 0.6,
  bytes: c.bytes,
  experts: c.experts,
  latent: c.latent,
  backward: c.backward,
  latent_backward: c.latent_backward,
  full: training_full(c),
)
let training_a100 = _of(costs_a100)
let training_h100 = _of(costs_h100)
