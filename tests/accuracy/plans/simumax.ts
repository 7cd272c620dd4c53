// Steps of SimuMax's authors: Megatron-LM with Transformer Engine on one node of eight B200, with
// times of products and of attention from their own tables. Communication hides behind nothing, and
// nothing is fitted. Arguments as their scripts state them (github.com/MooreThreads/SimuMax,
// simu_tools/megatron_scripts, run_pretrain_llama3.sh and run_pretrain_deepseekv2.sh).
import std.frameworks.megatron, std.costs.training

fn is_deepseek(name: String) -> Bool = name == "deepseekv2" or name == "deepseekv3"
fn sizes(name: String) -> Record = if name == "llama370b" then {
  hidden: 8192,
  heads: 64,
  groups: 8,
  ffn: 28672,
  vocab: 128256,
  experts: 0,
  top: 1,
  expert_ffn: 0,
  shared: 0,
} else if name == "llama3405b" then {
  hidden: 16384,
  heads: 128,
  groups: 16,
  ffn: 53248,
  vocab: 128256,
  experts: 0,
  top: 1,
  expert_ffn: 0,
  shared: 0,
} else if name == "deepseekv2" then {
  hidden: 5120,
  heads: 128,
  groups: 128,
  ffn: 12288,
  vocab: 102400,
  experts: 160,
  top: 6,
  expert_ffn: 1536,
  shared: 3072,
} else if name == "deepseekv3" then {
  hidden: 7168,
  heads: 128,
  groups: 128,
  ffn: 18432,
  vocab: 129280,
  experts: 256,
  top: 8,
  expert_ffn: 2048,
  shared: 2048,
} else refuse("no sizes of `" + name + "`")

// `s`: sizes of the model.
fn arguments(
  s: Record,
  latent: Bool,
  layers: Int,
  tp: Int,
  cp: Int,
  ep: Int,
  pp: Int,
  chunks: Int,
  seq: Int,
  micro: Int,
  micro_batches: Int,
  fused_loss: Bool,
) -> MegatronArguments = {
  gpus: 8,
  gpu: "b200",
  release: 202602,
  num_layers: layers,
  hidden_size: s.hidden,
  num_attention_heads: s.heads,
  group_query_attention: s.groups < s.heads,
  num_query_groups: s.groups,
  ffn_hidden_size: s.ffn,
  seq_length: seq,
  position_embedding_type: "rope",
  normalization: "RMSNorm",
  disable_bias_linear: true,
  swiglu: true,
  hidden_dropout: 0.0,
  attention_dropout: 0.0,
  untie_embeddings_and_output_weights: true,
  vocab_size: s.vocab,
  multi_latent_attention: latent,
  q_lora_rank: if latent then 1536 else 0,
  kv_lora_rank: 512,
  num_experts: s.experts,
  moe_router_topk: s.top,
  moe_ffn_hidden_size: s.expert_ffn,
  moe_shared_expert_intermediate_size: s.shared,
  moe_layer_freq: [if i == 0 then 0 else 1 for i in 0..layers],
  moe_grouped_gemm: s.experts > 0,
  moe_expert_capacity_factor: if s.experts > 0 then 1.0 else 0.0,
  moe_pad_expert_input_to_capacity: s.experts > 0,
  use_flash_attn: true,
  bf16: true,
  accumulate_allreduce_grads_in_fp32: true,
  cross_entropy_loss_fusion: fused_loss,
  cross_entropy_fusion_impl: "te",
  use_distributed_optimizer: true,
  sequence_parallel: true,
  tensor_model_parallel_size: tp,
  context_parallel_size: cp,
  cp_comm_type: "a2a",
  expert_model_parallel_size: ep,
  expert_tensor_parallel_size: 1,
  pipeline_model_parallel_size: pp,
  num_virtual_stages_per_pipeline_rank: chunks,
  micro_batch_size: micro,
  global_batch_size: micro * micro_batches * div(8, tp * cp * pp),
}

// A table of theirs, by the columns' names here: one for each pass, since a product of the backward
// takes longer than one of the same sizes in a forward. Those of experts' backwards stand under the
// sizes of the forward.
fn products(stage: String, between: Bool) -> Any = table(
  "ops/simumax_gemm_b200_sxm.csv",
  family: "gemm",
  device: "b200_sxm",
  where: { op: "matmul", stage: stage, out_dtype: if stage == "wgrad" then "fp32" else "bf16" },
  columns: { m: "m", n: "n", k: "k" },
  between: between,
)
fn expert_products(stage: String, m: String, n: String, k: String, between: Bool) -> Any = table(
  "ops/simumax_gemm_b200_sxm.csv",
  family: "grouped_gemm",
  device: "b200_sxm",
  where: { op: "group_matmul", stage: stage, out_dtype: if stage == "wgrad" then "fp32" else "bf16" },
  columns: { count: "groups", m: m, n: n, k: k },
  between: between,
)
fn all_products(between: Bool) -> List = [
  during("forward", products("fwd", between)),
  during("input", products("dgrad", between)),
  during("weight", products("wgrad", between)),
  during("forward", expert_products("fwd", "m", "n", "k", between)),
  during("input", expert_products("dgrad", "m", "k", "n", between)),
  during("weight", expert_products("wgrad", "n", "k", "m", between)),
]
fn attention_of(phase: String, family: String) -> Any = table(
  "ops/simumax_attention_b200_sxm.csv",
  family: family,
  device: "b200_sxm",
  where: { phase: phase, qk_head_dim: "128", qkv_contiguous: "1" },
  columns: { batch: "batch", seq: "seq", heads: "heads", kv_heads: "kv_heads", head_dim: "qk_head_dim", causal: "causal" },
)
fn latent_of(phase: String, family: String) -> Any = table(
  "ops/simumax_attention_b200_sxm.csv",
  family: family,
  device: "b200_sxm",
  where: { phase: phase, qk_head_dim: "192", qkv_contiguous: "1" },
  columns: {
    batch: "batch",
    seq: "seq",
    keys: "seq",
    heads: "heads",
    kv_heads: "kv_heads",
    head_dim: "qk_head_dim",
    v_dim: "v_head_dim",
    causal: "causal",
  },
)

// Memory-bound kernels, by their figures of the B200 (configs/system/b200_bf16_ceperm.json): 66.6 %
// of 8 TB/s, 50.1 % where tokens are permuted, and 30 us.
fn memory_bound(bytes: Size) -> Time = bytes / (8000 GB/s * 0.666) + 30 us
fn permuted(bytes: Size) -> Time = bytes / (8000 GB/s * 0.501) + 30 us

plan simumax(
  model: String = "deepseekv2",
  layers: Int = 4,
  tp: Int = 1,
  cp: Int = 1,
  ep: Int = 8,
  pp: Int = 1,
  chunks: Int = 1,
  seq: Int = 4096,
  micro: Int = 1,
  micro_batches: Int = 4,
  fused_loss: Bool = true,
  run: Record = megatron(
    arguments(sizes(model), is_deepseek(model), layers, tp, cp, ep, pp, chunks, seq, micro, micro_batches, fused_loss),
  ),
) {
  model = run.model
  cluster = run.cluster
  mesh = { tp: run.tp, cp: run.cp, ed: run.ed, dp: run.dp, pp: run.pp }
  apply = megatron_strategies(run, tp, cp, ed, dp, hidden: false)
  schedule = megatron_schedule(run, pp)
  batch = run.batch
  tokens = run.tokens
  precision = run.precision
  optimizer = run.optimizer
  costs = [
    all_products(false),
    all_products(true),
    attention_of("fwd", "attention"),
    attention_of("bwd", "attention_backward"),
    latent_of("fwd", "attention"),
    latent_of("bwd", "attention_backward"),
    { elementwise: memory_bound, permute: permuted },
    training(costs_b200),
  ]
  network = run.network
  host = run.host with { sync = pp > 1 and chunks == 1 }
  memory = run.memory
}
