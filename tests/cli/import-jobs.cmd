# Settings of frameworks that name a model of Hugging Face's: each becomes a plan that plays, says where each line is from, and refuses what it does not follow by name.
cd $scratch
played() { tsrun "$1" 2>&1 | grep -aE '^(error|training|pretraining)|illion parameters|\^ ..*[a-z]' | grep -v 'the data go' | cut -c1-120; }
job() { echo "== $*"; trainspec import -o run.ts "$@" 2>said && played run.ts; grep -aE '^(error|warning)|= help' said; }
cat >ds.json <<'J'
{ "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": "auto", "bf16": { "enabled": true },
  "zero_optimization": { "stage": 3, "overlap_comm": true, "reduce_bucket_size": 5e8 }, "optimizer": { "type": "AdamW", "params": { "lr": "auto" } } }
J
cat >run.sh <<'J'
GPUS=${GPUS:-4}
torchrun --nproc_per_node=$GPUS train.py --model_name_or_path Qwen/Qwen2.5-1.5B-Instruct --bf16 True --deepspeed ds.json \
  --learning_rate 1e-5 --gradient_accumulation_steps 2 --max_seq_length 2048 --gradient_checkpointing True
J
job deepspeed run.sh && grep -E 'zero_optimization_stage|launch_|max_length' run.ts
job deepspeed ds.json --model_name_or_path meta-llama/Llama-3.2-1B --zero_optimization.stage 2
job deepspeed ds.json
job deepspeed ds.json --model_name_or_path nobody/knows-7B 2>&1 | cut -c1-90
job deepspeed ds.json --model_name_or_path gpt2 --optimizer.type Lamb
job deepspeed ds.json --model_name_or_path gpt2 --optimizer.type OneBitAdam
job deepspeed ds.json --model_name_or_path gpt2 --optim paged_adamw_8bit
cat >fsdp.yaml <<'J'
distributed_type: FSDP
mixed_precision: bf16
num_processes: 8
fsdp_config:
  fsdp_version: 2
  fsdp_reshard_after_forward: true
parallelism_config:
  parallelism_config_tp_size: 2
  parallelism_config_dp_replicate_size: 2
J
job accelerate fsdp.yaml --model_name_or_path Qwen/Qwen3-0.6B --per_device_train_batch_size 2
job accelerate fsdp.yaml --model_name_or_path Qwen/Qwen3-0.6B --use_peft true --fsdp_config.words 3
cat >ax.yaml <<'J'
base_model: NousResearch/Meta-Llama-3-8B
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 2
gradient_checkpointing: true
fsdp_version: 2
dp_shard_size: 8
optimizer: adamw_torch_fused
J
job axolotl ax.yaml
job axolotl ax.yaml --adapter lora
cat >lf.yaml <<'J'
model_name_or_path: Qwen/Qwen2.5-0.5B
stage: sft
finetuning_type: full
deepspeed: ds.json
per_device_train_batch_size: 2
J
job llama_factory lf.yaml
job llama_factory lf.yaml --stage dpo
cat >swift.sh <<'J'
NPROC_PER_NODE=8 megatron sft --model Qwen/Qwen3-30B-A3B --tensor_model_parallel_size 2 --expert_model_parallel_size 8 \
  --sequence_parallel true --micro_batch_size 1 --global_batch_size 16 --max_length 4096 --recompute_granularity full
J
job swift swift.sh
job swift swift.sh --tuner_type lora
# `swift sft` is Hugging Face's trainer: one process without a launcher, adapters unless they are refused.
cat >trainer.sh <<'J'
nproc=4
NPROC_PER_NODE=$nproc swift sft --model Qwen/Qwen2.5-7B-Instruct --tuner_type full --per_device_train_batch_size 1 --torch_dtype bfloat16 \
  --gradient_accumulation_steps $(expr 16 / $nproc) --max_length 4096 --deepspeed zero3 --packing true --warmup_ratio 0.05
J
job swift trainer.sh && grep -E 'accumulation|zero_optimization' run.ts
job swift trainer.sh --tuner_type lora --deepspeed zero2_offload
printf 'CUDA_VISIBLE_DEVICES=0 swift pt --sft_type lora --model_id_or_path Qwen/Qwen3-0.6B --quant_bits 4 --quant_method bnb' >one.sh
job swift one.sh
job swift one.sh --tuner_type adalora --task_type embedding
printf 'swift rlhf --rlhf_type dpo --model Qwen/Qwen3-0.6B' >rlhf.sh; job swift rlhf.sh
# A path names a model by its last part that is known; words of another model or size behind a name make it unknown.
for model in /data/models--Qwen--Qwen2.5-1.5B-Instruct/snapshots/5d8e out/Qwen3-0.6B_mine/checkpoint-100 a/llama-3-8b-pruned-4b a/zephyr-7b-gemma b/c; do
  job axolotl ax.yaml --base_model $model 2>&1 | sed 's/.*\^ //'; done
cat >bridge.yaml <<'J'
model:
  _args_: ('meta-llama/Meta-Llama-3-8B',)
  tensor_model_parallel_size: 2
  seq_length: 4096
  recompute_granularity: selective
  recompute_modules: [core_attn, layernorm]
ddp: { use_distributed_optimizer: true, overlap_grad_reduce: true, grad_reduce_in_fp32: true }
train: { micro_batch_size: 1, global_batch_size: 32 }
mixed_precision: bf16_mixed
J
job megatron_bridge bridge.yaml
# A token goes once to each node by HybridEP, not once to each expert: less is sent.
experts="--model Qwen/Qwen3-30B-A3B --gpus 16 --model.tensor_model_parallel_size 1 --model.expert_model_parallel_size 16 --train.global_batch_size 16"
for sent in alltoall flex; do trainspec import -o run.ts megatron_bridge bridge.yaml $experts --model.moe_token_dispatcher_type $sent \
  --model.moe_flex_dispatcher_backend hybridep --model.expert_tensor_parallel_size 1 2>/dev/null && tsrun run.ts 2>&1 | grep -aE '^  (ep|tp . ep) '; done
job megatron_bridge bridge.yaml --model Qwen/Qwen3-4B --mixed_precision.fp8 e4m3 --mixed_precision.fp8_recipe mxfp8
printf 'peft: { _target_: LoRA }\nmodel: { tensor_parallel: 2 }\n' >wrong.yaml
job megatron_bridge wrong.yaml
cat >mt.yml <<'J'
base_config: base.yml
model_name: llama2-7b
ici_fsdp_parallelism: 8
dcn_data_parallelism: 2
per_device_batch_size: 1
max_target_length: 4096
remat_policy: save_qkv_proj
steps: 10
J
job maxtext mt.yml
job maxtext mt.yml per_device_batch_size=2 remat_policy=full quantization=fp8
job maxtext mt.yml quantization=int2
job maxtext mt.yml weight_dtype=float8
printf 'modules:\n  pre_trainer:\n    framework: maxtext\n    model: llama3_8B.yaml\n    overrides: { per_device_batch_size: 1, max_target_length: 4096 }\n' >exp.yaml
job primus exp.yaml
printf 'work_group: ${TEAM:amd}\nmodules:\n  pre_trainer:\n    framework: megatron\n    config: pre_trainer.yaml\n    model: ${MODEL:llama2_7B}.yaml\n    overrides: { micro_batch_size: 2, global_batch_size: 64, seq_length: "${LENGTH:2048}", fp8: hybrid, enable_primus_turbo: true, recompute_granularity: full, recompute_method: block, recompute_num_layers: 0 }\n' >exp.yaml
job primus exp.yaml
job primus MODEL=grok2 exp.yaml --wholly_new 4
printf 'modules:\n  pre_trainer:\n    framework: torchtitan\n    config: pre_trainer.yaml\n    model: qwen3_0.6b-fp8.yaml\n    overrides: { training: { local_batch_size: 2, seq_len: 1024 }, parallelism: { tensor_parallel_degree: 2 } }\n' >exp.yaml
job primus exp.yaml
printf 'modules:\n  pre_trainer:\n    framework: [megatron]\n' >exp.yaml
job primus exp.yaml
cat >sft.toml <<'J'
max_steps = 20
[model]
name = "PrimeIntellect/Qwen3-0.6B"
ac = { mode = "selective", targets = ["norm", "mlp"] }
[data]
batch_size = 16
seq_len = 1024
[deployment]
num_train_gpus = 2
J
job prime_rl sft.toml
job prime_rl sft.toml orchestrator.batch_size=8
job prime_rl sft.toml model.cp=two
cat >nano.yaml <<'J'
model: { model_config: { is_llama_config: true, hidden_size: 1024, intermediate_size: 4096, num_attention_heads: 16, num_hidden_layers: 8, vocab_size: 32000 } }
parallelism: { dp: 2, tp: 2, pp: 2, pp_engine: 1f1b }
tokens: { sequence_length: 1024, micro_batch_size: 2, batch_accumulation_per_replica: 4 }
J
job nanotron nano.yaml
job nanotron nano.yaml --parallelism.tp_recompute_allgather false
cat >auto.yaml <<'J'
step_scheduler: { global_batch_size: 32, local_batch_size: 2 }
model: { pretrained_model_name_or_path: Qwen/Qwen3-8B }
distributed: { strategy: fsdp2, tp_size: 2, activation_checkpointing: true }
dataset: { seq_len: 2048 }
J
job automodel auto.yaml
cat >arctic.yaml <<'J'
type: sft
micro_batch_size: 1
sequence_parallel_size: 4
model: { type: liger, name_or_path: meta-llama/Llama-3.1-8B-Instruct }
data: { max_length: 32768 }
deepspeed: { zero_optimization: { stage: 3, offload_optimizer: { device: cpu } } }
J
job arctic arctic.yaml
job arctic bridge.yaml
printf 'type: sft\nmodel: {' >half.yaml; job arctic half.yaml
# What can change a step and is not followed is a warning, and a file that is named is read or refused.
cat >other.yaml <<'J'
step_scheduler: { global_batch_size: 32, local_batch_size: 2 }
model: { pretrained_model_name_or_path: Qwen/Qwen3-8B, config: { num_hidden_layers: 12 } }
distributed: { strategy: fsdp2, tp_size: 2, dp_replicate_size: 2 }
dataset: { seq_len: 2048 }
optimizer: { _target_: torch.optim.SGD }
J
job automodel other.yaml
printf 'base_model: meta-llama/Llama-3.1-8B\nsequence_len: 2048\nmicro_batch_size: 1\ndeepspeed: ds.conf\n' >named.yaml; job axolotl named.yaml
printf 'model: { _args_: [ meta-llama/Llama-3.1-8B ], _target_: AutoBridge.from_hf_pretrained, seq_length: 2048, tensor_model_parallel_size: 2 }\npeft: { _target_: LoRA, dim: 16 }\ntrain: { micro_batch_size: 1, global_batch_size: 8 }\n' >lora.yaml
job megatron_bridge lora.yaml
job megatron_bridge lora.yaml peft.exclude_modules=linear_fc2
printf 'accelerate launch --num_processes 2 internvl_chat_mpo.py --model_name_or_path OpenGVLab/InternVL3_5-1B\n' >mpo.sh
job transformers mpo.sh
printf 'accelerate launch --num_processes 2 internvl_chat_finetune.py --llm_path ./pretrained/internlm2-chat-1_8b --max_seq_length 4096 --per_device_train_batch_size 1 --vision_select_layer -1\n' >vl.sh
job transformers vl.sh
printf 'type: causal\nmicro_batch_size: 1\nsequence_parallel_size: 4\ntiled_mlp_compute: true\nactivation_checkpoint_cpu_offload: true\nmodel: { type: liger, name_or_path: meta-llama/Llama-3.1-8B }\ndata: { max_length: 2_000_000 }\ndeepspeed: { zero_optimization: { stage: 3, offload_optimizer: { device: cpu } } }\n' >tiled.yaml
job arctic tiled.yaml
tsrun run.ts | grep -a -A4 '^Memory at' | cut -c1-60
cat >mt2.yml <<'J'
decoder_block: deepseek
attention_type: mla
base_emb_dim: 256
base_num_query_heads: 4
base_num_kv_heads: 4
base_mlp_dim: 512
base_moe_mlp_dim: 64
base_num_decoder_layers: 4
first_num_dense_layers: 1
num_experts: 8
num_experts_per_tok: 2
shared_experts: 1
routed_bias: true
vocab_size: 1024
max_target_length: 1024
per_device_batch_size: 1
J
job maxtext mt2.yml attention_type=global
job maxtext mt2.yml decoder_block=deepseek4
job maxtext mt2.yml
true

# What an optimizer keeps: two moments and a copy in fp32, moments in 8 bits, one moment in 32 bits or 8, none.
for optim in adamw_torch paged_adamw_8bit lion_32bit rmsprop_bnb lion_8bit sgd; do
  trainspec import -o kept.ts deepspeed ds.json --model_name_or_path Qwen/Qwen2.5-1.5B --optimizer.type $optim 2>said
  echo "$optim $(tsrun --format=text kept.ts | grep -oE '^  optimizer +[0-9.]+ GiB')"
done

# Cheap modules that are made again drop what they made, and states in 16 bits are half as large.
cat >bridge.yaml <<'J'
model: { _args_: "('Qwen/Qwen3-0.6B',)", seq_length: 4096, tensor_model_parallel_size: 1 }
train: { micro_batch_size: 2, global_batch_size: 16 }
J
kept() { trainspec import -o kept.ts megatron_bridge bridge.yaml "$@" 2>said; echo "$* $(tsrun --format=text kept.ts | grep -oE '^  (activations|optimizer) +[0-9.]+ GiB' | tr '\n' ' ')"; }
kept
kept model.recompute_granularity=selective model.recompute_modules=layernorm
kept optimizer.use_precision_aware_optimizer=true optimizer.exp_avg_dtype=bf16 optimizer.exp_avg_sq_dtype=bf16 mixed_precision.fp8_recipe=delayed

# Gradients of Megatron-LM are in the format that main gradients have.
for format in fp32 bf16; do
  trainspec import -o kept.ts megatron --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --vocab-size 32000 \
    --micro-batch-size 1 --global-batch-size 8 --bf16 --use-distributed-optimizer --use-precision-aware-optimizer --main-grads-dtype $format --gpus 8 --gpu h100 2>said
  echo "$format $(tsrun --format=text kept.ts | grep -oE '^  gradients +[0-9.]+ [GM]iB')"
done
