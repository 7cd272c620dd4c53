# Layouts of a pipeline: E is the embedding, t a layer, m a module for further words with its copy of the embedding, L the head and all losses. What each kind of stage does, by its forward; then chunks and layers as Megatron-LM counts them, and what it refuses.
job='--num-layers 8 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --position-embedding-type rope --untie-embeddings-and-output-weights --bf16 --micro-batch-size 1 --global-batch-size 8 --hidden-dropout 0 --attention-dropout 0'
plan() { trainspec import --gpus 4 --gpu h100 -o $scratch/run.ts megatron pretrain_gpt.py $job "$@"; }
parts() { echo "== $*"; plan "$@" && tsc -S $scratch/run.ts -o - 2>/dev/null | awk '/^fragment "F/ { print "stage:"; on = 1; next } /^}/ { on = 0 } on && /: compute (gemm|elementwise)|: (send|recv)/ && /embed:|qkv|merge|head|loss|final_norm|send|recv/ { sub(/ (launch|over|after|phase).*/, ""); print }'; }
parts --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'E|tttt|tttt|L'
parts --mtp-num-layers 1 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Etttt|tt|ttm|L'
sizes() { echo "== $*"; plan "$@" && tsc $scratch/run.ts -o $scratch/run.ir 2>&1 | sed -n 's/.*\^ //p'; [ -f $scratch/run.ir ] && tsc -S $scratch/run.ts -o - 2>/dev/null | grep -E '^program' | wc -l; tsrun --ignore-memory $scratch/run.ts 2>/dev/null | grep -E '^  stage'; rm -f $scratch/run.ir; }
for layout in 'E|tttt||tttL' 'tE|ttt|tttt|L' 'Ett|tt|tt|ttLL' 'Ettt|ttt|tt|mL' 'Ett|tt|tt|tL' 'Ett|tt|tt|tt|L' 'Ett|tt|tt|xttL'; do sizes --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout "$layout"; done
sizes --mtp-num-layers 2 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'Ettt|ttt|ttm|mL'
sizes --mtp-num-layers 1 --pipeline-model-parallel-size 4 --pipeline-model-parallel-layout 'Ettt|ttm|ttt|L'
sizes --mtp-num-layers 1 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Etttt|ttttm||L'
sizes --mtp-num-layers 1 --pipeline-model-parallel-size 2 --pipeline-model-parallel-layout 'Etttt|tm|ttt|L'
sizes --pipeline-model-parallel-size 2 --num-layers-per-virtual-pipeline-stage 3
sizes --pipeline-model-parallel-size 2 --account-for-loss-in-pipeline-split
sizes --pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1
sizes --pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 3 --decoder-last-pipeline-num-layers 3 --num-virtual-stages-per-pipeline-rank 2
