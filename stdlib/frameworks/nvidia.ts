// NVIDIA's stack: Megatron-LM, NeMo and Megatron-Bridge, which share Megatron-Core and Transformer
// Engine. Defaults of their recipes by release; sources: Megatron-LM's arguments, Megatron-Bridge
// `scripts/performance` (2025 and 2026), NeMo 24.07's recipes.
import std.frameworks.profile, std.optimizers.adam, std.hosts

// What Megatron-Bridge's recipes (scripts/performance) set by release: for racks they capture the
// whole step of experts in a CUDA graph since 26.06, and before that, with pipelines, attention and
// router alone, so that less is left to issue after the counts of tokens. GPT-OSS's biases, clamped
// gates and sinks are not fused: more is left. `waits` and the releases with graphs were chosen by
// hand with all development rows of published_moe.csv in view, which do not validate them.
fn bridge_choices(f: Framework, run: Record) -> FrameworkChoices = {
  graphs: f.graphs or run.experts and run.rack and run.release > 26.05,
  waits: if run.experts and run.rack and run.stages > 1 then 1200 else if run.model == "gpt_oss" then 9000 else f.waits,
}
// NeMo's recipe of DeepSeek-V3 recomputes whole layers.
fn nemo_choices(f: Framework, run: Record) -> FrameworkChoices = as_profile(f, run) with {
  recompute = if run.model == "deepseek" then "full" else "none"
}

// Fused kernels, gradients in bf16 (grad_reduce_in_fp32 is off in the recipes for speed) added in
// the product, attention by cuDNN, the distributed optimizer's sums beside the backward.
let megatron_core: Framework = {
  name: "Megatron-Core",
  gradients: bf16,
  bucket: 160 MB,
  tensor: "ring",
  attention: "cudnn",
  arithmetic: { gemm: tf32 },
  loss: "fused",
  host: megatron_host,
  waits: 1000,
  update: nemo_update,
  sharding: "zero1",
}
// Megatron-LM as its papers of 2021 and 2022 ran it: nothing overlaps, attention unfused.
let megatron_2021: Framework = {
  name: "Megatron-LM",
  release: "2021",
  overlap: false,
  gather: "after",
  attention: "flash2",
  host: megatron_host,
  update: megatron_update,
  sharding: "ddp",
}
// Megatron-Bridge (2025 and 2026): its experts run without a bound on their tokens, whose counts
// the host reads; `waits` as in bridge_choices.
let megatron_bridge = megatron_core with { name = "Megatron-Bridge", waits = 4000, choices = bridge_choices }
// NeMo (2024 and 2025).
let nemo = megatron_core with { name = "NeMo", choices = nemo_choices }
