// NVIDIA's stack: Megatron-LM, NeMo and Megatron-Bridge, which share Megatron-Core and Transformer
// Engine. Defaults of their recipes by release; sources: Megatron-LM's arguments, Megatron-Bridge
// `scripts/performance` (2025 and 2026), NeMo 24.07's recipes.
import std.hosts

// Fused kernels, gradients in bf16 (grad_reduce_in_fp32 is off in the recipes for speed) added in
// the product, attention by cuDNN, the distributed optimizer's sums beside the backward.
let megatron_core = {
  gradients: bf16,
  accumulate: 0 B,
  bucket: 160 MB,
  overlap: true,
  gather: "hidden",
  tensor: "ring",
  keep: false,
  attention: "cudnn",
  arithmetic: { gemm: tf32 },
  loss: "fused",
  host: megatron_host,
  graphs: false,
  waits: 1000,
  sharding: "zero1",
}
// Megatron-LM as its papers of 2021 and 2022 ran it: nothing overlaps, attention unfused.
let megatron_2021 = {
  gradients: fp32,
  accumulate: 0 B,
  bucket: 25 MiB,
  overlap: false,
  gather: "after",
  tensor: "none",
  keep: false,
  attention: "flash2",
  arithmetic: {},
  loss: "apart",
  host: megatron_host,
  graphs: false,
  waits: 0,
  sharding: "ddp",
}
// Megatron-Bridge (2025 and 2026): its experts run without a bound on their tokens, whose counts
// the host reads. On racks its recipes with pipelines capture attention and router in graphs, so
// that less is left to issue after that. `waits` was
// chosen by hand with all development rows of published_moe.csv in view, which do not validate it.
let megatron_bridge = {
  gradients: bf16,
  accumulate: 0 B,
  bucket: 160 MB,
  overlap: true,
  gather: "hidden",
  tensor: "ring",
  keep: false,
  attention: "cudnn",
  arithmetic: { gemm: tf32 },
  loss: "fused",
  host: megatron_host,
  graphs: false,
  waits: 4000,
  sharding: "zero1",
}
// NeMo (2024 and 2025).
let nemo = megatron_core
