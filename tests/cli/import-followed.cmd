# Arguments that change a step. Full recomputation: the first layers of each stage (block), of modules for further words too (uniform). Then the norm and the clipping of gradients, shifts around a ring beside products, formats of products, and chunks of layers among which embedding and loss count.
job='--num-layers 8 --hidden-size 512 --num-attention-heads 8 --seq-length 512 --max-position-embeddings 512 --position-embedding-type rope --untie-embeddings-and-output-weights --bf16 --micro-batch-size 1 --global-batch-size 8'
ir() { echo "== $*"; trainspec import --gpus ${gpus:-4} --gpu h100 -o $scratch/run.ts megatron pretrain_gpt.py $job "$@"; tsc -S $scratch/run.ts -o $scratch/run.ir 2>$scratch/said || sed -n 's/.*\^ //p' $scratch/said; }
again() { ir "$@" && awk '/^fragment "?B/ && !/last/ { name = $0; sub(/ (work.*|\{)/, "", name); n = 0; on = 1 } /^}/ { if (on) print name, n, "products of attention"; on = 0 } on && /attn.proj/ && /compute gemm/ && /phase recompute/ { n++ }' $scratch/run.ir; }
again --pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1 --decoder-last-pipeline-num-layers 3 --recompute-granularity full --recompute-method block --recompute-num-layers 2
gpus=1 again --mtp-num-layers 1 --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
gpus=1 again --mtp-num-layers 1 --recompute-granularity full --recompute-method block --recompute-num-layers 8
again --recompute-granularity full
again --recompute-granularity selective --recompute-method block
gpus=1 ir --clip-grad 0 && grep -cE '"(gradient norm|clip gradients)"' $scratch/run.ir
gpus=1 ir && grep -cE '"(gradient norm|clip gradients)"' $scratch/run.ir
ir --tensor-model-parallel-size 4 --sequence-parallel --tp-comm-overlap && grep -oE '^collective (shift|all_gather|reduce_scatter)' $scratch/run.ir
ir --tensor-model-parallel-size 4 --tp-comm-overlap
ir --context-parallel-size 4 --cp-comm-type a2a+p2p --hierarchical-context-parallel-sizes 2 2
gpus=1 ir --fp8-format hybrid --fp8-recipe blockwise 2>/dev/null && grep -c 'dtype fp8_block' $scratch/run.ir
chunks() { ir --num-layers 6 --pipeline-model-parallel-size 4 --account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split "$@" && tsrun --ignore-memory $scratch/run.ts 2>/dev/null | grep 'step time'; }
chunks --num-layers-per-virtual-pipeline-stage 1
chunks --num-virtual-stages-per-pipeline-rank 2
ir --pipeline-model-parallel-size 4 --num-virtual-stages-per-pipeline-rank 1 --decoder-first-pipeline-num-layers 1 --decoder-last-pipeline-num-layers 1 --use-tp-pp-dp-mapping && echo played
modules() { ir --num-experts 4 --moe-grouped-gemm --moe-layer-freq '([0]*7+[1])' --mtp-num-layers 1 --recompute-granularity selective --recompute-modules "$@" && awk '/^fragment B/ { on = 1 } /^}/ { on = 0 } on && /phase recompute/ { print $1 }' $scratch/run.ir | grep -E 'layer\[[67]\]|mtp' | sort -u | xargs; }
gpus=1 modules mlp
gpus=1 modules moe
gpus=1 modules layernorm moe_act
gpus=1 ir --mtp-num-layers 1 --recompute-granularity full --recompute-method uniform --recompute-num-layers 1 && awk '/^fragment B/ { on = 1 } /^}/ { on = 0 } on && /phase recompute/ { print $1 }' $scratch/run.ir | grep -E 'layer\[7\]|mtp|head|norm:$' | sort -u | xargs
for factor in 1 1.5; do gpus=1 ir --num-experts 4 --moe-grouped-gemm --moe-pad-expert-input-to-capacity --moe-expert-capacity-factor $factor && grep -o 'experts that drop tokens.*' $scratch/said; done
