// Frameworks on PyTorch's own parallelism: torchtitan (FSDP2), llm-foundry and Composer (FSDP1),
// NeMo AutoModel (FSDP2), DeepSpeed (ZeRO).
import std.frameworks.profile, std.optimizers.adam, std.costs.hosts

// As Megatron-Core's: assumed.
let eager_experts: ExpertHost = { each: 20 us, narrow: 40 us, sort: 500 us }

// torch.distributed.pipelining (stage.py) makes receive buffers for every micro-batch of a step,
// and keeps outputs for the backward and for the end of the step.
//
// FSDP2 keeps shards in fp32, gathers them in bf16 into a buffer that is copied out, and sums
// gradients in fp32 (torch/distributed/fsdp/_fully_shard); attention of PyTorch's SDPA. The
// loss is compiled since 2025 (torchtitan/components/loss.py), before that each of its parts makes
// a copy of the logits in fp32. Gradients are freed for the next step (torch/optim/optimizer.py:
// zero_grad, whose `set_to_none` is true by default).
let torchtitan: Framework = {
  name: "torchtitan",
  release: "2025",
  attention: "sdpa",
  current: true,
  buffers: true,
  loss: "fused",
  host: eager_torch,
  experts: eager_experts,
  update: fsdp_update,
  copied: true,
  keep_last: true,
  sharding: "fsdp",
  shards: ["fsdp", "zero2"],
}
fn fsdp_update(o: Optimizer) -> Optimizer = clipped(cast_when_gathered(o))
let torchtitan_2024 = torchtitan with { release = "2024", loss = "copied" }
// Its kernels are Transformer Engine's, DeepEP sends tokens.
let nemo_automodel = torchtitan with { name = "NeMo AutoModel", exchange = "deep_ep", attention = "cudnn" }
// ZeRO keeps a copy of its part in 16 bits, and gathers it in place. Its gradients lie in one buffer
// that stays (deepspeed/runtime/zero/stage3.py: grad_partitions_flat_buffer).
let deepspeed = torchtitan with {
  name = "DeepSpeed"
  buffers = false
  free_gradients = false
  update = clipped
  copied = false
  keep_last = false
}

// Composer's mixed precision DEFAULT: gradients summed in fp32; PURE: all in bf16. Attention is
// Triton's of FlashAttention 1, MPT's default in 2023, whose loss is one fused kernel by default
// (`loss_fn` of llmfoundry/models/mpt/modeling_mpt.py).
let llm_foundry = torchtitan with {
  name = "llm-foundry"
  release = "2023"
  attention = "flash1"
  current = false
  copied = false
  keep_last = false
}
let llm_foundry_pure = llm_foundry with { gradients = bf16 }

// DTensor's gradient of an embedding whose rows are split over `t`: each rank makes that of the whole
// table for its part of the words, and keeps its rows of the sum (torch/distributed/tensor/_ops:
// embedding_dense_backward has no strategy for rows).
strategy dtensor_embedding(t: Axis) {
  rule rows {
    match embedding as "embed"
    set spread = t.size
  }
}
