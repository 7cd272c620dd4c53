// Costs of kernels in long training runs for every machine of std.machines (std.costs says how they rest on fits), by the formats that products are done in (`recipe`) and by the library of attention.
//
// A machine's record: `kind`, and where its kernels were measured `fit`, `experts` and `latent` (else `like`: measured on another gpu and scaled by the rooflines).
// `power`: how much slower products in 16 bits are over a long step than in bursts. `eight`, `four`: shares of the peak rates that large products in 8 and 4 bits reach
// over a long step. `bytes`: share of the bandwidth. `attention`, `older`: how much slower older libraries of attention are than the fit's; `backward`: over its forward.
// The scan of state spaces takes 2.5 times its bytes' time on the B200 (mamba2_aic.csv.gz: 10.0 ms for 131,072 tokens and 128 heads).
//
// Calibrated, each with the rows it was fitted to: a100 (Narayanan et al., above), h100 (nanotron, above). Estimated: all others. `power` of Blackwell is SimuMax's
// sustained products over the bursts of aiconfigurator (1.28 to 1.36, ops/README_more.md of the data); 8 and 4 bits are the best rate of a burst over that factor.
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
  older: 1.87,
  narrow: "",
  power_eight: 1,
  power_four: 1,
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
  older: 1.87,
  narrow: "",
  power_eight: 1,
  power_four: 1,
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
  older: 3.27,
  narrow: "std/fits/h100_sxm",
  power_eight: 1.38,
  power_four: 1,
}
let costs_h100_500w = {
  kind: h100_96g_500w,
  fit: "std/fits/h100_sxm.fit.json",
  experts: "std/fits/h100_sxm_experts.fit.json",
  latent: "std/fits/h100_sxm_latent.fit.json",
  power: 1.645,
  bytes: 0.76,
  eight: 0.367,
  four: 1.0,
  attention: 2.376,
  newest: 1.0,
  older: 3.27,
  narrow: "std/fits/h100_sxm",
  power_eight: 2.0,
  power_four: 1,
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
  older: 3.27,
  narrow: "std/fits/h200_sxm",
  power_eight: 1.38,
  power_four: 1,
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

// Machines whose kernels nobody measured: those of the H100, scaled by the rooflines, so that `power` also says how well their libraries do.
let costs_mi300x = { kind: mi300x, power: 1.9, bytes: 0.7, eight: 0.4, four: 1.0, attention: 1.0, older: 1.0 }
let costs_mi325x = { kind: mi325x, power: 1.7, bytes: 0.7, eight: 0.45, four: 1.0, attention: 1.0, older: 1.0 }
let costs_mi350x = { kind: mi350x, power: 1.7, bytes: 0.7, eight: 0.45, four: 0.35, attention: 1.0, older: 1.0 }
let costs_mi355x = { kind: mi355x, power: 1.7, bytes: 0.7, eight: 0.45, four: 0.35, attention: 1.0, older: 1.0 }
let costs_gaudi2 = { kind: gaudi2, power: 1.3, bytes: 0.7, eight: 0.6, four: 1.0, attention: 1.0, older: 1.0 }
let costs_v5e = { kind: tpu_v5e, power: 1.15, bytes: 0.8, eight: 0.7, four: 1.0, attention: 1.0, older: 1.0 }
let costs_v5p = { kind: tpu_v5p, power: 1.15, bytes: 0.8, eight: 0.7, four: 1.0, attention: 1.0, older: 1.0 }
let costs_v6e = { kind: tpu_v6e, power: 1.3, bytes: 0.8, eight: 0.55, four: 1.0, attention: 1.0, older: 1.0 }
let costs_7x = { kind: tpu_7x, power: 1.3, bytes: 0.8, eight: 0.55, four: 1.0, attention: 1.0, older: 1.0 }
let costs_l40s = { kind: l40s, power: 1.4, bytes: 0.8, eight: 0.5, four: 1.0, attention: 1.0, older: 1.0 }
let costs_h200_nvl = { kind: h200_nvl, power: 1.38, bytes: 0.76, eight: 0.55, four: 1.0, attention: 1.6, older: 3.27 }

fn _as_h100(c: Record) = scale(fit("std/fits/h100_sxm.fit.json"), from: h100_sxm, to: c.kind)
fn training_estimated(c: Record, recipe: String = "bf16", backward: Real = 2.5, levels: Record = c) = [
  { host_wait: _host_wait },
  slower(_as_h100(c), by: levels.power, family: "gemm"),
  like(_as_h100(c), family: "attention_backward", as: "attention", by: backward),
  slower(like(_as_h100(c), family: "grouped_gemm", as: "gemm"), by: levels.power),
  _by(c, recipe, levels),
]
