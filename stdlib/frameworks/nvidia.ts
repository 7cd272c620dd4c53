// NVIDIA's stack: Megatron-LM, NeMo and Megatron-Bridge, which share Megatron-Core and Transformer
// Engine. Defaults of their recipes by release; sources: Megatron-LM's arguments, Megatron-Bridge
// `scripts/performance` (2025 and 2026), NeMo 24.07's recipes.
import std.frameworks.profile, std.frameworks.bridge, std.optimizers.adam, std.costs.hosts

// Megatron-Bridge's recipes of experts (std.frameworks.bridge); a model that they have not is as
// the profile says. Those of DeepSeek-V3 and Kimi K2 have `tp_comm_overlap` off, those of Nemotron
// 3 Super and Ultra no `comm_overlap` at all (v0.2.0 to v0.6.0, src/megatron/bridge/recipes).
let _plain = ["deepseek_v3", "kimi_k2", "nemotron3_super", "nemotron3_ultra"]
fn _as_recipe(f: Framework, r: Record) -> FrameworkChoices = {
  graphs: r.captured == "step",
  again: r.again,
  exchange: r.exchange,
  captured: r.captured,
  beside: r.beside,
  fused: r.fused,
  formats: r.formats,
  tensor: if any([m == r.model for m in _plain]) then "stream" else f.tensor,
}
fn _bridge_of(f: Framework, run: Record, found: List) -> FrameworkChoices = if len(found) == 0 then as_profile(f, run) with {
  tensor = _bridge_tensor(f, run.recipe)
} else _as_recipe(f, found[len(found) - 1])
// User buffers do not know NVFP4: recipes of dense models in it have `tp_comm_overlap` off
// (src/megatron/bridge/perf_recipes/llama).
fn _bridge_tensor(f: Framework, recipe: String) -> String = if recipe == "nvfp4" then "stream" else f.tensor
fn bridge_choices(f: Framework, run: Record) -> FrameworkChoices = _bridge_of(f, run, if run.experts then bridge_recipes(run) else [])
// NeMo v2.3.1's recipe of DeepSeek-V3 (scripts/performance/llm/pretrain_deepseek_v3.py, which
// dgxc-benchmarking's launch.sh runs): all-to-all, tokens above an expert's capacity dropped. On
// the H100 up-projections are recomputed, elsewhere attention's core: that is done where it is not
// fused, and keeps its probabilities otherwise.
fn _nemo_deepseek(f: Framework, run: Record) -> FrameworkChoices = if run.gpu == "h100" then as_profile(f, run) with {
  again = ["mla_up_proj"]
  bounded = true
} else as_profile(f, run) with { again = ["core_attn"], unfused = true, bounded = true }
fn nemo_choices(f: Framework, run: Record) -> FrameworkChoices = if run.model == "deepseek_v3" then _nemo_deepseek(f, run)
  else as_profile(f, run)

// What a layer of experts costs the host, and how much faster products in one operation are.
// `call`, `narrow`, `sort` and `fused` were chosen by hand on the rows of published_moe.csv that do
// not validate: with `call` of 0, 400 and 800 us (and `narrow` of 40, 25 and 10 us) their mean
// error is 15.3, 13.9 and 14.1 %. `each` and `replay` are assumed.
let megatron_experts: ExpertHost = { call: 400 us, each: 20 us, narrow: 25 us, sort: 500 us, replay: 3 us, fused: 0.75 }

// Gradients of Megatron-LM lie in one buffer of DistributedDataParallel, made once and zeroed for each
// step (megatron/core/distributed/param_and_grad_buffer.py; in 2021 megatron/model/distributed.py:
// MemoryBuffer).

// Fused kernels, gradients in bf16 (grad_reduce_in_fp32 is off in the recipes for speed) added in
// the product, attention by cuDNN, the distributed optimizer's sums beside the backward. Recipes
// also gather parameters beside the next forward (`gather`: overlap_param_gather); published steps
// take as long as with exposed gathers (doc/roadmap.md), so it is off here.
let megatron_core: Framework = {
  name: "Megatron-Core",
  gradients: bf16,
  bucket: 160 MB,
  tensor: "ring",
  attention: "cudnn",
  arithmetic: { gemm: tf32 },
  loss: "fused",
  free_gradients: false,
  host: megatron_host,
  experts: megatron_experts,
  limits_apart: true,
  update: nemo_update,
  sharding: "zero1",
}
// Megatron-LM as its papers of 2021 and 2022 ran it: nothing overlaps, attention unfused.
let megatron_2021: Framework = {
  name: "Megatron-LM",
  release: "2021",
  overlap: false,
  attention: "flash2",
  free_gradients: false,
  host: megatron_host,
  update: megatron_update,
  sharding: "ddp",
}
// Megatron-LM as its arguments are where a command line says nothing, but with the distributed
// optimizer and sums beside the backward, as its scripts for Hopper launch it (examples/llama,
// mixtral, mamba: `--use-distributed-optimizer --overlap-grad-reduce`). `trainspec init` and `import
// hf` take it where no framework is named; std.frameworks.megatron has what arguments change.
// Buckets: resolve_ddp_bucket_size of megatron/training/training.py.
fn _by_replicas(f: Framework, replicas: Int) -> Any = max(f.bucket, 1_000_000 * replicas)
let megatron_lm: Framework = {
  name: "Megatron-LM",
  bucket: 40_000_000,
  buckets: _by_replicas,
  first: true,
  tensor: "stream",
  attention: "cudnn",
  arithmetic: { gemm: bf16 },
  free_gradients: false,
  host: megatron_host,
  update: megatron_update,
  sharding: "zero1",
  balanced: false,
}
// Megatron-Bridge (2025 and 2026): its experts run without a bound on their tokens, whose counts
// the host reads; fp8 with current scaling (`fp8_cs`, bf16_with_fp8_current_scaling_mixed).
let megatron_bridge = megatron_core with { name = "Megatron-Bridge", current = true, choices = bridge_choices }
// NeMo (2024 and 2025): fp8 with delayed scaling (`fp8_ds`).
let nemo = megatron_core with { name = "NeMo", choices = nemo_choices }
