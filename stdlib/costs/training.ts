// Costs of kernels in long training runs for every machine of std.machines, by the format that
// products are done in (`recipe`) and by the library of attention; std.costs.sources says how they rest on
// fits.
//
// A machine's record: `kind`, and where its kernels were measured: `fit`, `experts`, `latent`,
// `full` (products in fp32; TF32, which a plan asks for by `arithmetic`, is another format, and no
// fit has it), `casts` (to 8 bits), and `narrow`, the beginning of the names of fits in 8 and 4
// bits; `fit_of` and its like, on which other gpu, whose kernels are scaled by the rooflines. Fits
// in fp32 are taken as measured: no run says how much slower such products are for long. `power`,
// `power_eight` and `power_four`: how much slower products are over a long step than in bursts, in
// 16, 8 and 4 bits. `slows`: how much slower they are beside collectives of tensor parallelism,
// which take processors from them (`framework_tensor`); `spread`: `power` for plans that do not say
// so, with that loss spread over all products (std.costs.sources). `eight`, `four`: shares of the peak
// rates for products that no fit knows. `bytes`: share of the bandwidth. `newest`, `attention`,
// `older`: how much slower than the fit's attention are the maker's own library ("cudnn": cuDNN; on
// AMD what Transformer Engine calls there, AITER and Composable Kernel; on TPUs Splash),
// FlashAttention 2 (Dao, arXiv 2307.08691; on AMD PyTorch's of AOTriton) and FlashAttention 1 with
// its kernels in Triton; `flash3`: FlashAttention 3's share of cuDNN's time. `libraries`: those that
// run on it: FlashAttention 3 on Hopper alone, 1 up to Hopper (its setup.py builds for no later
// chip). `sdpa`: which of them PyTorch's scaled_dot_product_attention takes: FlashAttention 2, cuDNN
// from Blackwell on as torchtitan orders them (torchtitan/models/attention.py: `_init_backend`).
// `assumed`: those whose speed nobody measured on it; their kernels count as extrapolated.
// `backward`, `latent_backward`: time of attention's backward over its forward's, where keys are as
// wide as values, and where they are not. `turns`: weight gradients in 8 bits take
// transposed copies. `apart`: experts' products in 8 bits are priced one by one as plain ones, as
// Transformer Engine calls them; the only tables of them for Hopper are of vLLM's Triton kernels,
// which take two to three times as long. `formats`: recipes that its tensor cores know.
//
// Calibrated: A100's `power` and H100's `spread` (Narayanan et al., nanotron: std.costs.sources); H100's
// `power` and `slows` on its rows in the fitted half of NVIDIA's bf16, between which they tell
// apart those without and with tensor parallelism (`accuracy --fit "published_dense/NVIDIA bf16"
// power=1.3:1.1:1.5,slows=1.15:1:1.5` gives 1.23 and 1.17 with rows of GB200; 1.27 by hand, without
// them); its `power_eight` by hand, with the fitted half of NVIDIA's fp8 and mlperf_llm.csv in
// view; `older` of the two and all of the H100 of 500 W on one half of the rows of
// published_dense.csv (`accuracy --fit "published_dense/llm-foundry a100" older=2:1:4`,
// `"published_dense/torchtitan" power=1.6:1.3:2.1,attention=2.4:1.6:3,power_eight=2:1.3:2.6`);
// `power_four` of GB200 and GB300 on the fitted half of NVIDIA's rows in NVFP4 (`accuracy --fit
// "published_dense/NVIDIA nvfp4" power_four=1.1:1:1.5` gives 1.002), of B200 and B300 from there by
// their boards' watts to the power of -0.3 (doc/costs.md). Chosen by hand with all development rows
// of published_dense.csv and mlperf_llm.csv in view, which do not validate them: the B300's and
// GB300's `power_eight` and `newest`. Estimated: all others. `backward`: B200 and A100 from
// SimuMax's tables of Transformer Engine's attention (github.com/MooreThreads/SimuMax: 4,096 to
// 131,072 words, 64 and 128 heads of 128: 2.9 to 3.3 and 2.9; of 192 and 128, 2.6 to 3.7 and 3.2 to
// 3.4); H100 from FlashAttention 3's figures 5 and 6 (Shah et al., arXiv 2407.08608; heads of 128,
// 8k: forward 370, 600 and 646 TFLOP/s with FlashAttention 2, cuDNN and FlashAttention 3, backward
// 318, 518 and 559: 2.9 in all three), which also give the H100's `attention`, 600 / 370, and
// FlashAttention 3's share of cuDNN's time, 0.93. `newest` of the A100: Transformer Engine's
// attention in SimuMax's table over the fit's, which is FlashAttention 2 (4 shapes, 0.87 to 1.0);
// that of the B200 by the same table 1.0 (0.97 to 1.0 from 32 heads on). B200's `attention`:
// FlashAttention 2 runs at 354 TFLOP/s forward with heads of 128 (4,096 to 16,384 words,
// github.com/meta-pytorch/tritonbench/pull/171, which also says that FlashAttention 3 does not run
// there) and at 330 backward (heads of 64, github.com/Dao-AILab/flash-attention/issues/1589), the
// fit at 1,330 and 1,110; the other Blackwells have its processors, so that their FlashAttention 2
// is assumed to take the B200's time: 3.4 times their fits' rates over the B200's (1,447, 1,461 and
// 1,658). H20: flash-attention/issues/1310 (fp16, 2,048 words, heads of 128: 84, 129 and 126
// TFLOP/s with FlashAttention 2, cuDNN and 3; causal 66, 108 and 108). MI300X: forward alone, AITER
// over AOTriton 1.18 to 1.62 (midiareshadi.github.io/blog/attn-dsl-bench). Levels fitted before with a backward of 2.5
// (`older`, the H100 of 500 W) were divided by 3.9 / 3.5. `power` of Blackwell is SimuMax's
// sustained products over bursts (1.28 to 1.36); 8 bits take the power of 16. The scan of state
// spaces was measured on the B200 alone (mamba2_aic.csv.gz), from which other gpus are scaled; a
// byte of its backward takes 2.4 times a byte of its forward, by hand with the rows of Nemotron-H
// in view. Where no kernel was measured, they take 2.5 and 6 times their bytes' time.
import std.gpus.nvidia, std.gpus.hopper, std.gpus.blackwell, std.gpus.amd, std.gpus.google, std.gpus.intel

record TrainingCosts {
  kind: Gpu // the gpu
  fit: String = "" // file of curves of products and attention in 16 bits; none: scaled from the H100's
  experts: String = "" // the same of experts' grouped products
  latent: String = "" // the same of attention with latent keys
  full: String = "" // the same of products in fp32
  casts: String = "" // the same of casts to 8 bits
  narrow: String = "" // beginning of the names of fits in 8 and 4 bits
  fit_of: Gpu = none // the gpu that `fit` was measured on, if it is another
  experts_of: Gpu = none // the same for `experts`
  latent_of: Gpu = none // the same for `latent`
  full_of: Gpu = none // the same for `full`
  casts_of: Gpu = none // the same for `casts`
  narrow_of: Gpu = none // the same for `narrow`
  power: Real = 1.3 // products in 16 bits: time in a long step over time in a short benchmark
  spread: Real = power // `power` where a plan does not say what runs beside tensor parallelism
  slows: Real = 1 // products beside collectives of tensor parallelism: time over time alone
  power_eight: Real = 1 // `power` in 8 bits
  power_four: Real = 1 // `power` in 4 bits
  bytes: Real = 0.76 // share of the bandwidth that kernels bound by memory reach
  eight: Real = 0.55 // share of the peak that products in 8 bits reach where no fit knows them
  four: Real = 1 // the same in 4 bits
  backward: Real = 2.5 // attention: time of the backward over the forward
  latent_backward: Real = 2.5 // the same with latent keys
  attention: Real = 1 // FlashAttention 2: time over the fit's attention
  newest: Real = 1 // the maker's own attention (cuDNN, AITER, Splash): the same
  flash3: Real = 0.93 // FlashAttention 3: time over the maker's own
  older: Real = 1 // FlashAttention 1 in Triton: time over the fit's attention
  libraries: List[String] = ["cudnn", "flash2"] // libraries of attention that run on it
  sdpa: String = "flash2" // the one that PyTorch's scaled_dot_product_attention takes
  assumed: List[String] = [] // those whose speed nobody measured on it
  turns: Bool = false // weight gradients in 8 bits take transposed copies
  apart: Bool = false // experts' products in 8 bits run one by one
  formats: List[String] = ["bf16"] // formats in which products can be done
}
let _nvidia = ["cudnn", "flash2", "flash1"]
let _hopper = ["cudnn", "flash3", "flash2", "flash1"]
let _scaled = ["bf16", "fp8", "fp8_block"]
let _blackwell = ["bf16", "fp8", "fp8_block", "mxfp8", "nvfp4", "mxfp4"]

// The costs, where its products can be done in the format of `recipe`.
fn costs_in(c: TrainingCosts, recipe: String) -> TrainingCosts = if any([f == recipe for f in c.formats]) then c else refuse(
  "products of the " + c.kind.name + " are not done in `" + recipe + "`: it has " + str(c.formats),
)

let costs_a100: TrainingCosts = {
  kind: a100_sxm_80g,
  fit: "std/fits/a100_sxm.fit.json",
  experts: "std/fits/a100_sxm_experts.fit.json",
  latent: "std/fits/a100_sxm_latent.fit.json",
  full: "std/fits/a100_pcie_fp32.fit.json",
  full_of: a100_pcie_80g,
  power: 1.167,
  bytes: 0.8,
  eight: 1,
  backward: 2.9,
  latent_backward: 3.3,
  newest: 0.88,
  older: 1.8,
  libraries: _nvidia,
}
let costs_a100_40g = costs_a100 with { kind = a100_sxm_40g }
let costs_h100: TrainingCosts = {
  kind: h100_sxm,
  fit: "std/fits/h100_sxm.fit.json",
  experts: "std/fits/h100_sxm_experts.fit.json",
  latent: "std/fits/h100_sxm_latent.fit.json",
  full: "std/fits/h100_sxm_fp32.fit.json",
  casts: "std/fits/h100_sxm_cast.fit.json",
  narrow: "std/fits/h100_sxm",
  power: 1.27,
  spread: 1.38,
  slows: 1.17,
  power_eight: 1.3,
  backward: 2.9,
  latent_backward: 3.2,
  bytes: 0.76,
  eight: 0.55,
  attention: 1.62,
  older: 3.24,
  libraries: _hopper,
  turns: true,
  apart: true,
  formats: _scaled,
}
let costs_h100_500w = costs_h100 with {
  kind = h100_96g_500w
  fit_of = h100_sxm
  experts_of = h100_sxm
  latent_of = h100_sxm
  full_of = h100_sxm
  casts_of = h100_sxm
  narrow_of = h100_sxm
  power = 1.636
  power_eight = 1.338
  eight = 0.367
  attention = 2.69
}
let costs_h200 = costs_h100 with {
  kind = h200_sxm
  fit = "std/fits/h200_sxm.fit.json"
  experts = "std/fits/h200_sxm_experts.fit.json"
  latent = "std/fits/h200_sxm_latent.fit.json"
  full_of = h100_sxm
  casts = "std/fits/h200_sxm_cast.fit.json"
  narrow = "std/fits/h200_sxm"
}
let costs_b200: TrainingCosts = {
  kind: b200_sxm,
  fit: "std/fits/b200_sxm.fit.json",
  experts: "std/fits/b200_sxm_experts.fit.json",
  latent: "std/fits/b200_sxm_latent.fit.json",
  casts: "std/fits/b200_sxm_cast.fit.json",
  narrow: "std/fits/b200_sxm",
  power: 1.33,
  power_eight: 1.33,
  power_four: 1.05,
  backward: 3.0,
  latent_backward: 3.2,
  bytes: 0.76,
  eight: 0.53,
  four: 0.44,
  attention: 3.4,
  sdpa: "cudnn",
  formats: _blackwell,
}
let costs_gb200 = costs_b200 with {
  kind = gb200
  power_four = 1
  attention = 3.7
  assumed = ["flash2"]
  fit = "std/fits/gb200.fit.json"
  experts = "std/fits/gb200_experts.fit.json"
  latent = "std/fits/gb200_latent.fit.json"
  casts = "std/fits/gb200_cast.fit.json"
  narrow = "std/fits/gb200"
}
let costs_b300 = costs_b200 with {
  kind = b300_sxm
  fit = "std/fits/b300_sxm.fit.json"
  experts = "std/fits/b300_sxm_experts.fit.json"
  latent_of = b200_sxm
  casts = "std/fits/b300_sxm_cast.fit.json"
  narrow = "std/fits/b300_sxm"
  power_eight = 1.25
  power_four = 1.07
  eight = 0.56
  four = 0.33
  newest = 0.8
  attention = 3.7
  assumed = ["flash2"]
}
let costs_gb300 = costs_b300 with {
  kind = gb300
  fit = "std/fits/gb300.fit.json"
  experts_of = b300_sxm
  latent = "std/fits/gb200_latent.fit.json"
  latent_of = gb200
  casts = "std/fits/gb300_cast.fit.json"
  narrow = "std/fits/gb300"
  power_four = 1
  four = 0.32
  attention = 4.2
}

let costs_l40s: TrainingCosts = {
  kind: l40s,
  fit: "std/fits/l40s.fit.json",
  casts: "std/fits/l40s_cast.fit.json",
  narrow: "std/fits/l40s",
  power: 1.27,
  power_eight: 1.3,
  bytes: 0.8,
  eight: 0.5,
  older: 1.8,
  libraries: _nvidia,
  assumed: _nvidia,
  formats: ["bf16", "fp8"],
}

fn _by(c: TrainingCosts, recipe: String, levels: Record) = slower(
  slower(
    roofline(c.kind, flops: if recipe == "nvfp4" or recipe == "mxfp4" then levels.four else levels.eight, bytes: c.bytes, floor: 2 us),
    by: 2.5,
    family: "mamba_scan",
  ),
  by: 6,
  family: "mamba_scan_backward",
)

// Scans of state spaces, measured on one gpu.
fn _scans(c: TrainingCosts) = _fit(c, "std/fits/b200_sxm_scan.fit.json", if c.kind.name == b200_sxm.name then none else b200_sxm)

// A fit of kernels of the machine, or of those of `other` scaled to it.
fn _fit(c: TrainingCosts, file: String, other: Any) = _fit_of(c, fit(file), other)
fn _fit_of(c: TrainingCosts, source: Any, other: Any) = if other == none then source else scale(source, from: other, to: c.kind)

// Products in fp32. Calls were timed one by one, launch included (NeuSight): a kernel in a long
// queue has the floor that others have. None was narrow (512 rows, 768 columns, 512 deep, one a
// call, or more), so that the fit does not know what memory gives them: those are on the roofline.
fn training_full(c: TrainingCosts) = if c.full == "" then [] else [_fit_of(c, fit(c.full, floor: 2 us, beyond: 2), c.full_of)]

// Products of a recipe as measured in bursts, without the casts before them.
fn _narrow(c: TrainingCosts, recipe: String, levels: Record) = if c.narrow == "" or recipe == "bf16" then none else slower(
  _fit(
    c,
    c.narrow + match recipe { "fp8" -> "_fp8", "nvfp4" | "mxfp4" -> "_nvfp4", _ -> "_fp8_block" } + ".fit.json",
    c.narrow_of,
  ),
  by: if recipe == "nvfp4" or recipe == "mxfp4" then levels.power_four else levels.power_eight,
)
// One expert is a plain product, whatever grouped kernels do with several.
fn _one_expert(c: TrainingCosts, recipe: String, levels: Record) = [
  slower(like(_fit(c, c.fit, c.fit_of), family: "grouped_gemm", as: "gemm", where: { count: 1 }), by: levels.power),
  if c.narrow == "" or recipe == "bf16" then none else like(
    _narrow(c, recipe, levels),
    family: "grouped_gemm",
    as: "gemm",
    where: { count: 1 },
  ),
]
fn _experts_apart(c: TrainingCosts, recipe: String, levels: Record) = if c.narrow == "" or recipe == "bf16" then none else like(
  _narrow(c, recipe, levels),
  family: "grouped_gemm",
  as: "gemm",
)

// The library that a name means on the machine, where it is one and runs there.
fn _runs(c: TrainingCosts, library: String) -> String = if library == "sdpa" then c.sdpa else if any([
  l == library for l in c.libraries
]) then library else refuse(
  if any([l == library for l in _hopper]) then "attention of `" + library + "` does not run on the " + c.kind.name + ": it has " +
    str(c.libraries) + "; a framework takes another by `with { attention = \"cudnn\" }`"
    else "a library of attention is cudnn, flash3, flash2, flash1 or sdpa, not `" + library + "`",
)

// How much slower a library's attention is than the fit's.
fn _level(levels: Record, library: String) -> Real = match library {
  "cudnn" -> levels.newest
  "flash3" -> levels.flash3 * levels.newest
  "flash2" -> levels.attention
  _ -> levels.older
}

// A source whose attention is the library's, from one whose attention is slower than the fit's by `of`.
fn _attention(
  c: TrainingCosts,
  levels: Record,
  library: String,
  source: Any,
  of: Real = 1,
  assumed: Bool = any([l == _runs(c, library) for l in c.assumed]),
) = slower(source, by: _level(levels, _runs(c, library)) / of, family: "attention", assumed: assumed)

// `levels`: the numbers of the machine's record, or others to try.
fn training(
  c: TrainingCosts,
  recipe: String = "bf16",
  library: String = "cudnn",
  backward: Real = c.backward,
  levels: Record = c,
) = _one_expert(c, recipe, levels) + training_full(c) + [
  _attention(c, levels, library, slower(_fit(c, c.fit, c.fit_of), by: levels.power, family: "gemm")),
  like(_attention(c, levels, library, _fit(c, c.fit, c.fit_of)), family: "attention_backward", as: "attention", by: backward),
  if c.apart then _experts_apart(c, recipe, levels) else none,
  if c.experts == "" then none else slower(_fit(c, c.experts, c.experts_of), by: levels.power),
  slower(like(_fit(c, c.fit, c.fit_of), family: "grouped_gemm", as: "gemm"), by: levels.power),
  _narrow(c, recipe, levels),
  _experts_apart(c, recipe, levels),
  if c.casts == "" then none else _fit(c, c.casts, c.casts_of),
  if c.casts == "" then none else _scans(c),
  if c.casts == "" then none else like(_scans(c), family: "mamba_scan_backward", as: "mamba_scan", by: 2.4),
  if c.latent == "" then none else _attention(c, levels, library, _fit(c, c.latent, c.latent_of), levels.newest),
  if c.latent == "" then none else like(
    _attention(c, levels, library, _fit(c, c.latent, c.latent_of), levels.newest),
    family: "attention_backward",
    as: "attention",
    by: c.latent_backward,
  ),
  _by(c, recipe, levels),
]

// ... before these, where products of experts take `share` of the time of those that were measured.
fn training_experts(c: TrainingCosts, share: Real, levels: Record = c) = if c.experts == "" or share == 1 then [] else [
  slower(like(_fit(c, c.fit, c.fit_of), family: "grouped_gemm", as: "gemm", where: { count: 1 }), by: levels.power),
  slower(_fit(c, c.experts, c.experts_of), by: levels.power * share),
]

// Machines whose kernels nobody measured: those of the H100, scaled by the rooflines, so that
// `power` also says how well their libraries do. Their attention is assumed.
let costs_mi300x: TrainingCosts = {
  kind: mi300x,
  power: 1.9,
  backward: 2.9,
  bytes: 0.7,
  eight: 0.4,
  attention: 1.4,
  formats: _scaled,
}
let costs_mi325x = costs_mi300x with { kind = mi325x, power = 1.7, eight = 0.45 }
let costs_mi350x = costs_mi325x with { kind = mi350x, four = 0.35, formats = ["bf16", "fp8", "fp8_block", "mxfp8", "mxfp4"] }
let costs_mi355x = costs_mi350x with { kind = mi355x }
let costs_h20: TrainingCosts = {
  kind: h20_sxm,
  power: 1.1,
  backward: 2.9,
  bytes: 0.76,
  eight: 0.8,
  attention: 1.6,
  flash3: 1,
  older: 3.2,
  libraries: _hopper,
  formats: _scaled,
}
let costs_gh200 = costs_h100 with {
  kind = gh200
  fit_of = h100_sxm
  experts_of = h100_sxm
  latent_of = h100_sxm
  full_of = h100_sxm
  casts_of = h100_sxm
  narrow_of = h100_sxm
}
let costs_rtx_pro_6000: TrainingCosts = {
  kind: rtx_pro_6000_server,
  power: 1.3,
  backward: 2.9,
  bytes: 0.76,
  eight: 0.6,
  four: 0.6,
  sdpa: "cudnn",
  formats: _blackwell,
}
let costs_gaudi2: TrainingCosts = {
  kind: gaudi2,
  power: 1.3,
  bytes: 0.7,
  eight: 0.6,
  libraries: ["cudnn"],
  sdpa: "cudnn",
  formats: ["bf16", "fp8"],
}
let costs_gaudi3 = costs_gaudi2 with { kind = gaudi3 }
let costs_v5e: TrainingCosts = {
  kind: tpu_v5e,
  power: 1.15,
  bytes: 0.8,
  eight: 0.7,
  libraries: ["cudnn"],
  sdpa: "cudnn",
  formats: ["bf16", "fp8"],
}
let costs_v5p = costs_v5e with { kind = tpu_v5p }
let costs_v6e: TrainingCosts = {
  kind: tpu_v6e,
  power: 1.3,
  bytes: 0.8,
  eight: 0.55,
  libraries: ["cudnn"],
  sdpa: "cudnn",
  formats: ["bf16", "fp8"],
}
let costs_7x = costs_v6e with { kind = tpu_7x }
let costs_h200_nvl: TrainingCosts = {
  kind: h200_nvl,
  power: 1.38,
  bytes: 0.76,
  eight: 0.55,
  backward: 2.9,
  attention: 1.62,
  older: 3.24,
  libraries: _hopper,
  turns: true,
  formats: _scaled,
}

fn _as_h100(c: TrainingCosts) = scale(fit("std/fits/h100_sxm.fit.json"), from: h100_sxm, to: c.kind)
fn training_estimated(
  c: TrainingCosts,
  recipe: String = "bf16",
  library: String = "cudnn",
  backward: Real = c.backward,
  levels: Record = c,
) = [
  _attention(c, levels, library, slower(_as_h100(c), by: levels.power, family: "gemm"), assumed: true),
  like(_attention(c, levels, library, _as_h100(c), assumed: true), family: "attention_backward", as: "attention", by: backward),
  slower(like(_as_h100(c), family: "grouped_gemm", as: "gemm"), by: levels.power),
  _by(c, recipe, levels),
]
