// Costs of kernels in long training runs for every machine of std.machines, by the format that
// products are done in (`recipe`) and by the library of attention; std.costs says how they rest on
// fits.
//
// A machine's record: `kind`, and where its kernels were measured: `fit`, `experts`, `latent`, and
// `narrow`, the beginning of the names of fits in 8 and 4 bits. `power`, `power_eight` and
// `power_four`: how much slower products are over a long step than in bursts, in 16, 8 and 4 bits.
// `eight`, `four`: shares of the peak rates for products that no fit knows. `bytes`: share of the
// bandwidth. `newest`, `attention`, `older`: how much slower than the fit's attention are cuDNN's,
// FlashAttention 2 (Dao, arXiv 2307.08691) and FlashAttention 1 with its kernels in Triton.
// `turns`: weight gradients in 8 bits take transposed copies.
//
// Calibrated: A100 and H100 in 16 bits (Narayanan et al., nanotron: std.costs); `older` of the two
// and all of the H100 of 500 W on one half of the rows of published_dense.csv (`accuracy --fit
// "published_dense/llm-foundry a100" older=2:1:4`, `"published_dense/torchtitan"
// power=1.6:1.3:2.1,attention=2.4:1.6:3,power_eight=2:1.3:2.6`). Chosen by hand with all development
// rows of published_dense.csv and mlperf_llm.csv in view, which do not validate them: `power_four`,
// the B300's and GB300's `power_eight` and `newest`. Estimated: all others. `power` of Blackwell is
// SimuMax's sustained products over bursts (1.28 to 1.36); 8 bits take the power of 16. The scan of
// state spaces takes 2.5 times its bytes' time on the B200 (mamba2_aic.csv.gz: 10.0 ms for 131,072
// tokens and 128 heads), its backward 6 times, by hand with the rows of Nemotron-H in view.
import std.gpus.nvidia, std.gpus.hopper, std.gpus.blackwell, std.gpus.amd, std.gpus.google, std.gpus.intel

let costs_a100 = {
  kind: a100_sxm_80g,
  fit: "std/fits/a100_sxm.fit.json",
  experts: "std/fits/a100_sxm_experts.fit.json",
  latent: "std/fits/a100_sxm_latent.fit.json",
  power: 1.167,
  bytes: 0.8,
  eight: 1.0,
  four: 1.0,
  attention: 1.0,
  newest: 1.0,
  older: 1.89,
  narrow: "",
  power_eight: 1,
  power_four: 1,
  turns: false,
}
let costs_a100_40g = {
  kind: a100_sxm_40g,
  fit: "std/fits/a100_sxm.fit.json",
  experts: "std/fits/a100_sxm_experts.fit.json",
  latent: "std/fits/a100_sxm_latent.fit.json",
  power: 1.167,
  bytes: 0.8,
  eight: 1.0,
  four: 1.0,
  attention: 1.0,
  newest: 1.0,
  older: 1.89,
  narrow: "",
  power_eight: 1,
  power_four: 1,
  turns: false,
}
let costs_h100 = {
  kind: h100_sxm,
  fit: "std/fits/h100_sxm.fit.json",
  experts: "std/fits/h100_sxm_experts.fit.json",
  latent: "std/fits/h100_sxm_latent.fit.json",
  power: 1.38,
  bytes: 0.76,
  eight: 0.55,
  four: 1.0,
  attention: 1.9,
  newest: 1.0,
  older: 3.58,
  narrow: "std/fits/h100_sxm",
  power_eight: 1.38,
  power_four: 1,
  turns: true,
}
let costs_h100_500w = {
  kind: h100_96g_500w,
  fit: "std/fits/h100_sxm.fit.json",
  experts: "std/fits/h100_sxm_experts.fit.json",
  latent: "std/fits/h100_sxm_latent.fit.json",
  power: 1.53,
  bytes: 0.76,
  eight: 0.367,
  four: 1.0,
  attention: 3.0,
  newest: 1.0,
  older: 3.58,
  narrow: "std/fits/h100_sxm",
  power_eight: 1.34,
  power_four: 1,
  turns: true,
}
let costs_h200 = {
  kind: h200_sxm,
  fit: "std/fits/h200_sxm.fit.json",
  experts: "std/fits/h200_sxm_experts.fit.json",
  latent: "std/fits/h200_sxm_latent.fit.json",
  power: 1.38,
  bytes: 0.76,
  eight: 0.55,
  four: 1.0,
  attention: 1.9,
  newest: 1.0,
  older: 3.58,
  narrow: "std/fits/h200_sxm",
  power_eight: 1.38,
  power_four: 1,
  turns: true,
}
let costs_b200 = {
  kind: b200_sxm,
  fit: "std/fits/b200_sxm.fit.json",
  experts: "std/fits/b200_sxm_experts.fit.json",
  latent: "std/fits/b200_sxm_latent.fit.json",
  power: 1.33,
  bytes: 0.76,
  eight: 0.53,
  four: 0.44,
  attention: 1.0,
  newest: 1.0,
  older: 1.0,
  narrow: "std/fits/b200_sxm",
  power_eight: 1.33,
  power_four: 1.25,
  turns: false,
}
let costs_gb200 = {
  kind: gb200,
  fit: "std/fits/gb200.fit.json",
  experts: "std/fits/gb200_experts.fit.json",
  latent: "std/fits/gb200_latent.fit.json",
  power: 1.33,
  bytes: 0.76,
  eight: 0.53,
  four: 0.44,
  attention: 1.0,
  newest: 1.0,
  older: 1.0,
  narrow: "std/fits/gb200",
  power_eight: 1.33,
  power_four: 1.2,
  turns: false,
}
let costs_b300 = {
  kind: b300_sxm,
  fit: "std/fits/b300_sxm.fit.json",
  experts: "std/fits/b300_sxm_experts.fit.json",
  latent: "std/fits/b200_sxm_latent.fit.json",
  power: 1.33,
  bytes: 0.76,
  eight: 0.56,
  four: 0.33,
  attention: 1.0,
  newest: 0.8,
  older: 1.0,
  narrow: "std/fits/b300_sxm",
  power_eight: 1.25,
  power_four: 1.1,
  turns: false,
}
let costs_gb300 = {
  kind: gb300,
  fit: "std/fits/gb300.fit.json",
  experts: "std/fits/b300_sxm_experts.fit.json",
  latent: "std/fits/gb200_latent.fit.json",
  power: 1.33,
  bytes: 0.76,
  eight: 0.56,
  four: 0.32,
  attention: 1.0,
  newest: 0.8,
  older: 1.0,
  narrow: "std/fits/gb300",
  power_eight: 1.25,
  power_four: 1.05,
  turns: false,
}

fn _by(c: Record, recipe: String, levels: Record) = slower(
  slower(
    roofline(c.kind, flops: if recipe == "nvfp4" or recipe == "mxfp4" then levels.four else levels.eight, bytes: c.bytes, floor: 2 us),
    by: 2.5,
    family: "mamba_scan",
  ),
  by: 6,
  family: "mamba_scan_backward",
)

// Products of a recipe as measured in bursts, without the casts before them.
fn _narrow(c: Record, recipe: String, levels: Record) = if c.narrow == "" or recipe == "bf16" then none else slower(
  fit(
    c.narrow + (if recipe == "fp8" then "_fp8" else if recipe == "nvfp4" or recipe == "mxfp4" then "_nvfp4" else "_fp8_block") +
      ".fit.json",
  ),
  by: if recipe == "nvfp4" or recipe == "mxfp4" then levels.power_four else levels.power_eight,
)
fn _host_wait(microseconds: Int) -> Time = microseconds * 1 us

// How much slower a library's attention is than the fit's.
fn _level(levels: Record, library: String) -> Real =
  if library == "flash2" then levels.attention else if library == "flash1" then levels.older else levels.newest

// `levels`: the numbers of the machine's record, or others to try.
fn training(c: Record, recipe: String = "bf16", library: String = "cudnn", backward: Real = 2.5, levels: Record = c) = [
  { host_wait: _host_wait },
  slower(slower(fit(c.fit), by: levels.power, family: "gemm"), by: _level(levels, library), family: "attention"),
  like(fit(c.fit), family: "attention_backward", as: "attention", by: _level(levels, library) * backward),
  slower(fit(c.experts), by: levels.power),
  slower(like(fit(c.fit), family: "grouped_gemm", as: "gemm"), by: levels.power),
  _narrow(c, recipe, levels),
  if c.narrow == "" or recipe == "bf16" then none else like(_narrow(c, recipe, levels), family: "grouped_gemm", as: "gemm"),
  fit(c.latent),
  like(fit(c.latent), family: "attention_backward", as: "attention", by: backward),
  _by(c, recipe, levels),
]

// Machines whose kernels nobody measured: those of the H100, scaled by the rooflines, so that
// `power` also says how well their libraries do.
let costs_mi300x = { kind: mi300x, power: 1.9, bytes: 0.7, eight: 0.4, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_mi325x = { kind: mi325x, power: 1.7, bytes: 0.7, eight: 0.45, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_mi350x = { kind: mi350x, power: 1.7, bytes: 0.7, eight: 0.45, four: 0.35, attention: 1.0, older: 1.0, turns: false }
let costs_mi355x = { kind: mi355x, power: 1.7, bytes: 0.7, eight: 0.45, four: 0.35, attention: 1.0, older: 1.0, turns: false }
let costs_gaudi2 = { kind: gaudi2, power: 1.3, bytes: 0.7, eight: 0.6, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_v5e = { kind: tpu_v5e, power: 1.15, bytes: 0.8, eight: 0.7, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_v5p = { kind: tpu_v5p, power: 1.15, bytes: 0.8, eight: 0.7, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_v6e = { kind: tpu_v6e, power: 1.3, bytes: 0.8, eight: 0.55, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_7x = { kind: tpu_7x, power: 1.3, bytes: 0.8, eight: 0.55, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_l40s = { kind: l40s, power: 1.4, bytes: 0.8, eight: 0.5, four: 1.0, attention: 1.0, older: 1.0, turns: false }
let costs_h200_nvl = { kind: h200_nvl, power: 1.38, bytes: 0.76, eight: 0.55, four: 1.0, attention: 1.6, older: 3.58, turns: true }

fn _as_h100(c: Record) = scale(fit("std/fits/h100_sxm.fit.json"), from: h100_sxm, to: c.kind)
fn training_estimated(c: Record, recipe: String = "bf16", backward: Real = 2.5, levels: Record = c) = [
  { host_wait: _host_wait },
  slower(_as_h100(c), by: levels.power, family: "gemm"),
  like(_as_h100(c), family: "attention_backward", as: "attention", by: backward),
  slower(like(_as_h100(c), family: "grouped_gemm", as: "gemm"), by: levels.power),
  _by(c, recipe, levels),
]
