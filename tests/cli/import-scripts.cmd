# Launch scripts and files of arguments of Megatron-LM as plans: nothing of a script is run, each argument has its line.
cd $scratch
cat >train.sh <<'SH'
#!/bin/bash
#SBATCH --nodes=2
touch ran # commands are not run
GPUS_PER_NODE=8
MODE=${MODE:-small}
WORLD=$(( GPUS_PER_NODE * SLURM_NNODES ))
LAUNCHER="torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $SLURM_NNODES"
case "$MODE" in
  "small"|tiny) LAYERS=8; TP=2 ;;
  *) LAYERS=16; TP=4 ;;
esac
MODEL_ARGS=(
  --num-layers $LAYERS # of the mode
  --hidden-size 1024
  --num-attention-heads 16
  --seq-length 1024 --max-position-embeddings 1024
  "--tokenizer-type NullTokenizer"
  --vocab-size 32000
)
if [[ "$TP" -gt 1 ]] && [ -n "$MODE" ]; then
  MODEL_ARGS+=("--sequence-parallel")
elif [ -z "$NOTHING" ]; then
  MODEL_ARGS+=("--fp16")
fi
for f in a b; do echo "--$f"; done
OPTIONS=" \
  --micro-batch-size 1 --global-batch-size $((WORLD / TP * 2)) \
  --bf16 --split '99,1,0' ${MORE} \
  --data-path $1 \
"
cat <<EOT > ds.json
{ "train_batch_size": $WORLD, "bf16": { "enabled": true } }
EOT
srun --jobid 7 bash -c "$LAUNCHER pretrain_gpt.py ${MODEL_ARGS[*]} $OPTIONS --tensor-model-parallel-size $TP --deepspeed_config ds.json" 2>&1 | tee log
SH
cat >job.yaml <<'YAML'
ENV_VARS:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
MODEL_ARGS:
  --num-layers: ${LAYERS}
  --hidden-size: 1024
  --num-attention-heads: 16
  --seq-length: 1024
  --max-position-embeddings: 1024
  --bf16: true
  --fp16: false
  --recompute-granularity: selective
  --recompute-modules: "[layernorm core_attn]"
  --vocab-size: 32000
TEST_TYPE: regular
YAML
played() { tsrun "$1" 2>&1 | grep -aE '^(error|pretraining)|billion parameters|\^ '; }
trainspec import -o run.ts megatron train.sh && cat run.ts && played run.ts; ls ran 2>&1
trainspec import -o run.ts megatron MODE=large train.sh --global-batch-size 32 && grep -E 'layers|tensor_model|global' run.ts && played run.ts
trainspec import -o run.ts megatron LAYERS=4 job.yaml && sed -n '/let arguments/,/^}/p' run.ts && played run.ts
trainspec import megatron job.yaml 2>&1
wrong() { printf "$1" >wrong.sh; trainspec import megatron wrong.sh 2>&1; }
wrong 'torchrun pretrain_gpt.py --num-layer 3\n'
wrong 'echo nothing\n'
wrong 'A=(--num-layers 3\nif [ 1 ]; then ${A[@'
wrong 'A="$A ${B:-$A} $((1/0)) $((9*(8-2)%%5))"; x --num-layers $((9*(8-2)%%5)) --hidden-size two'
trainspec import megatron nowhere.sh 2>&1
