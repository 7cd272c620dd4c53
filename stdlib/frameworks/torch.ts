// Frameworks on PyTorch's own parallelism: torchtitan (FSDP2), llm-foundry and Composer (FSDP1),
// NeMo AutoModel (FSDP2), DeepSpeed (ZeRO).
import std.hosts, std.frameworks.profile

// Parameters gathered in bf16, gradients summed in fp32; FlashAttention 2 of PyTorch's SDPA.
let torchtitan = {
  gradients: fp32,
  accumulate: 0 B,
  bucket: 25 MiB,
  overlap: true,
  gather: "hidden",
  tensor: "none",
  keep: false,
  attention: "flash2",
  arithmetic: {},
  loss: "apart",
  host: eager_torch,
  graphs: false,
  waits: 4000,
  choices: as_profile,
  sharding: "fsdp",
}
// Composer's mixed precision DEFAULT: gradients summed in fp32; PURE: all in bf16. Attention is
// Triton's of FlashAttention 1, MPT's default in 2023.
let llm_foundry = {
  gradients: fp32,
  accumulate: 0 B,
  bucket: 25 MiB,
  overlap: true,
  gather: "hidden",
  tensor: "none",
  keep: false,
  attention: "flash1",
  arithmetic: {},
  loss: "apart",
  host: eager_torch,
  graphs: false,
  waits: 4000,
  choices: as_profile,
  sharding: "fsdp",
}
let llm_foundry_pure = {
  gradients: bf16,
  accumulate: 0 B,
  bucket: 25 MiB,
  overlap: true,
  gather: "hidden",
  tensor: "none",
  keep: false,
  attention: "flash1",
  arithmetic: {},
  loss: "apart",
  host: eager_torch,
  graphs: false,
  waits: 4000,
  choices: as_profile,
  sharding: "fsdp",
}
let nemo_automodel = torchtitan
let deepspeed = torchtitan
