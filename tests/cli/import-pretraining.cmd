# Jobs of NeMo, hybrids, FSDP and experts of Megatron-DeepSpeed by their arguments, recipes with sizes and layouts: plans that play.
cd $scratch
played() { tsrun "$1" 2>&1 | grep -aE '^(error|training|pretraining)|illion parameters|\^ ..*[a-z]' | grep -v 'the data go' | cut -c1-120; }
job() { echo "== $*"; trainspec import -o run.ts "$@" 2>said && played run.ts; grep -aE '^(error|warning)|= help' said; }
cat >nemo.yaml <<'J'
defaults:
  - _self_
  - optional tp_overlap@model.ub_tp_comm_overlap_cfg: none_yet
run: { name: small, time_limit: "1:00" }
trainer: { num_nodes: 2, devices: 8, precision: bf16, max_steps: 10, gradient_clip_val: 1.0 }
model:
  micro_batch_size: 2
  global_batch_size: 64
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
  virtual_pipeline_model_parallel_size: 3
  sequence_parallel: True
  encoder_seq_length: 1024
  max_position_embeddings: ${.encoder_seq_length}
  num_layers: 12
  hidden_size: 1024
  ffn_hidden_size: ${multiply:4, ${.hidden_size}}
  num_attention_heads: 16
  kv_channels: null
  transformer_engine: True
  activations_checkpoint_granularity: selective
  tokenizer: { library: megatron, type: GPT2BPETokenizer }
  optim: { name: distributed_fused_adam, bucket_cap_mb: 200, overlap_grad_sync: True, lr: 1e-4 }
  data: { seq_length: 1024, data_prefix: [1.0, x] }
J
job nemo nemo.yaml
grep -E 'num_layers|trainer_devices' run.ts
job nemo nemo.yaml --model.num_query_groups 4 --model.activation fast-swiglu --model.normalization rmsnorm --model.bias false
job nemo nemo.yaml --model.fsdp true --model.words 3
printf 'trainer: { devices: 4 }\nmodel:\n  seq_length: 256\n  hidden_size: 512\n  micro_batch_size: 4\n  transformer_engine: true\n' >t5.yaml
printf '  encoder: { num_layers: 2, hidden_size: 512, num_attention_heads: 8, activation: geglu }\n  decoder: { num_layers: 2 }\n' >>t5.yaml
job nemo t5.yaml
cat >hybrid.sh <<'J'
torchrun --nproc_per_node 8 pretrain_mamba.py --hybrid-override-pattern "M-M*-M|EM*E" --num-layers 10 --is-hybrid-model --hidden-size 1024 \
  --num-attention-heads 16 --group-query-attention --num-query-groups 4 --mamba-num-heads 32 --mamba-state-dim 64 --squared-relu \
  --spec megatron.core.models.mamba.mamba_layer_specs mamba_stack_spec --position-embedding-type none --normalization RMSNorm \
  --num-experts 8 --moe-router-topk 2 --expert-model-parallel-size 4 --disable-bias-linear --untie-embeddings-and-output-weights \
  --seq-length 2048 --max-position-embeddings 2048 --micro-batch-size 1 --global-batch-size 16 --bf16 --use-distributed-optimizer
J
job megatron hybrid.sh
job megatron hybrid.sh --swiglu
job megatron --gpus 8 --num-layers 4 --hidden-size 1024 --num-attention-heads 8 --kv-channels 256 --group-query-attention --num-query-groups 2 \
  --experimental-attention-variant gated_delta_net --linear-attention-freq 4 --attention-output-gate --moe-shared-expert-gate --swiglu \
  --num-experts 16 --moe-router-topk 4 --moe-ffn-hidden-size 512 --moe-shared-expert-intermediate-size 512 --normalization RMSNorm --qk-layernorm \
  --position-embedding-type rope --disable-bias-linear --expert-model-parallel-size 8 --seq-length 2048 --max-position-embeddings 2048 --bf16 \
  --micro-batch-size 1 --tokenizer-type HuggingFaceTokenizer --tokenizer-model Qwen/Qwen3-0.6B --optimizer dist_muon --untie-embeddings-and-output-weights
dense="--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --bf16"
job megatron --gpus 8 $dense --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads_params --global-batch-size 16
job megatron --gpus 8 $dense --attention-output-gate --experimental-attention-variant dsa
job megatron --gpus 8 $dense --use-torch-fsdp2 --tensor-model-parallel-size 2 --sequence-parallel
job megatron --gpus 8 $dense --activations-checkpoint-method uniform --fine-grained-activation-offloading --offload-modules core_attn moe_act
job megatron --gpus 8 $dense --deepspeed --num-experts 16 --moe-expert-parallel-size 8 --moe-train-capacity-factor 1.0 --zero-stage 1
cat >twice.yaml <<'J'
MODEL_ARGS:
  --num-layers: 4
  --hidden-size: 512
  --num-attention-heads: 8
  --seq-length: 512
  --max-position-embeddings: 512
  --tokenizer-type: ${TOKENIZER_TYPE}
  --vocab-size: 32000
  --bf16: true
  --num-layers: 6
J
job megatron twice.yaml
grep num_layers run.ts
cat >sized.yaml <<'J'
model:
  _target_: GPTModelProvider
  num_layers: 6
  hidden_size: 1024
  num_attention_heads: 16
  seq_length: 1024
  pipeline_model_parallel_size: 2
  pipeline_model_parallel_layout:
  - [embedding, decoder, decoder]
  - [decoder, decoder, decoder, decoder, loss]
  fine_grained_activation_offloading: true
  offload_modules: [core_attn]
train: { micro_batch_size: 1, global_batch_size: 8 }
J
job megatron_bridge sized.yaml
grep layout run.ts
sed '/layout/,/loss/d' sized.yaml >named.yaml
job megatron_bridge named.yaml --model nvidia/Nemotron-H-4B-Base-8K --gpus 16 --model.recompute_granularity full --model.mtp_num_layers 1
