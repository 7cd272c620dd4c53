// Frameworks on PyTorch's own parallelism: torchtitan (FSDP2), llm-foundry and Composer (FSDP1),
// NeMo AutoModel (FSDP2), DeepSpeed (ZeRO).
import std.frameworks.profile, std.hosts

// As Megatron-Core's: assumed.
let eager_experts: ExpertHost = { each: 20 us, narrow: 40 us, sort: 500 us }

// Parameters gathered in bf16, gradients summed in fp32; FlashAttention 2 of PyTorch's SDPA. The
// loss is compiled since 2025 (torchtitan/components/loss.py), before that each of its parts makes
// a copy of the logits in fp32.
let torchtitan: Framework = {
  name: "torchtitan",
  release: "2025",
  attention: "flash2",
  loss: "fused",
  host: eager_torch,
  experts: eager_experts,
  sharding: "fsdp",
}
let torchtitan_2024 = torchtitan with { release = "2024", loss = "copied" }
// Its kernels are Transformer Engine's, DeepEP sends tokens.
let nemo_automodel = torchtitan with { name = "NeMo AutoModel", exchange = "deep_ep" }
let deepspeed = torchtitan with { name = "DeepSpeed" }

// Composer's mixed precision DEFAULT: gradients summed in fp32; PURE: all in bf16. Attention is
// Triton's of FlashAttention 1, MPT's default in 2023, whose loss is one fused kernel by default
// (`loss_fn` of llmfoundry/models/mpt/modeling_mpt.py).
let llm_foundry = torchtitan with { name = "llm-foundry", release = "2023", attention = "flash1" }
let llm_foundry_pure = llm_foundry with { gradients = bf16 }
