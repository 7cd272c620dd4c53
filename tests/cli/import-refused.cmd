refused() { echo "== $*"; trainspec import megatron "$@" 2>&1; echo "exit $?"; }
refused --num-layer 4
refused --wholly-new 4
refused --num-layers four
refused --num-layers 4 5
refused --swiglu yes
refused --hidden-dropout none
refused --pipeline-model-parallel-layout 'E(tt'
refused --num-layers 4 --use-ring-exchange-p2p
refused --num-layers 4 --fp8-recipe tensorwise | grep -v '^  [a-z]* = run'
trainspec import --gpus 8 2>&1
trainspec import megatrn --num-layers 4 2>&1
trainspec import --gpus none megatron 2>&1
trainspec import --from nowhere megatron 2>&1
trainspec import --gpu none megatron --num-layers 2 --hidden-size 64 --num-attention-heads 2 --seq-length 64 --max-position-embeddings 64 --bf16 -o $scratch/none.ts && tsc -o $scratch/none.ir $scratch/none.ts 2>&1 | grep -a '^error'
refused --num-layers 4 --moe-layer-freq '[1]*9223372036854775807*2' | sed -n 2p
refused --num-layers 4 --pipeline-model-parallel-layout 'E(tt)*9223372036854775807' 2>&1 | sed -n 2p
run='--num-layers 8 --hidden-size 64 --num-attention-heads 2 --seq-length 64 --max-position-embeddings 64 --bf16'
stopped() { trainspec import --gpus 4 megatron $run "$@" -o $scratch/run.ts && tsc -o $scratch/run.ir $scratch/run.ts 2>&1 | grep -a '\^ '; }
stopped --recompute-granularity full --recompute-num-layers 2
stopped --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Ett|ttL'
stopped --pipeline-model-parallel-size 3
stopped --optimizer lion
stopped --optimizer-cpu-offload --optimizer-offload-fraction 0.5
