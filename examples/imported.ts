// A run of Megatron-LM, from its arguments: `trainspec import megatron` wrote it.
import std.frameworks.megatron

param gpus: Int = 16
param gpu: String = "h100"

// Passed over, as they change neither time nor memory:
// --rotary-base --lr --train-iters
let arguments: MegatronArguments = {
  gpus,
  gpu,
  script: "pretrain_gpt",
  num_layers: 32,
  hidden_size: 4096,
  num_attention_heads: 32,
  ffn_hidden_size: 14336,
  group_query_attention: true,
  num_query_groups: 8,
  seq_length: 8192,
  max_position_embeddings: 8192,
  position_embedding_type: "rope",
  normalization: "RMSNorm",
  disable_bias_linear: true,
  swiglu: true,
  hidden_dropout: 0,
  attention_dropout: 0,
  untie_embeddings_and_output_weights: true,
  vocab_size: 128256,
  bf16: true,
  tensor_model_parallel_size: 2,
  pipeline_model_parallel_size: 2,
  sequence_parallel: true,
  use_distributed_optimizer: true,
  overlap_grad_reduce: true,
  overlap_param_gather: true,
  micro_batch_size: 1,
  global_batch_size: 128,
}
let run = megatron(arguments)

plan pretraining {
  model = run.model
  cluster = run.cluster
  mesh = { tp: run.tp, cp: run.cp, ed: run.ed, dp: run.dp, pp: run.pp }
  apply = megatron_strategies(run, tp, cp, ed, dp)
  schedule = megatron_schedule(run, pp)
  batch = run.batch
  tokens = run.tokens
  precision = run.precision
  optimizer = run.optimizer
  costs = run.costs
  network = run.network
  host = run.host
  memory = run.memory
}
