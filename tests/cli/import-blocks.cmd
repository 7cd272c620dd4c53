# Experts lie over blocks of EP x ETP ranks, whatever tensor and context parallelism are: over which ranks go their tokens and their gradients, of which a rank has 16 / EP * 2 layers * 3 * 256 * 512 in fp32. ETP is 1 or TP.
run() { echo "== $*"; trainspec import --gpus ${gpus:-16} --gpu h100 -o $scratch/run.ts megatron pretrain_gpt.py --num-layers 2 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --position-embedding-type rope --swiglu --disable-bias-linear --num-experts 16 --moe-ffn-hidden-size 256 --moe-grouped-gemm --bf16 --micro-batch-size 1 --global-batch-size 32 --sequence-parallel "$@"; if tsc $scratch/run.ts -o $scratch/run.ir 2>$scratch/said; then tsc -S $scratch/run.ts -o - 2>/dev/null | grep -E '^(collective "?(all_to_all|all_reduce|reduce_scatter).*d[pq]|collective "?all_to_all)'; else sed -n 's/.*\^ //p' $scratch/said; fi; }
run --tensor-model-parallel-size 4 --expert-model-parallel-size 2 --expert-tensor-parallel-size 1
run --tensor-model-parallel-size 4 --expert-model-parallel-size 2 --expert-tensor-parallel-size 1 --use-distributed-optimizer --overlap-grad-reduce
run --tensor-model-parallel-size 2 --context-parallel-size 4 --expert-model-parallel-size 4 --expert-tensor-parallel-size 1 --use-distributed-optimizer
run --context-parallel-size 4 --expert-model-parallel-size 2 --use-distributed-optimizer
run --tensor-model-parallel-size 2 --context-parallel-size 2 --expert-model-parallel-size 8 --expert-tensor-parallel-size 1 --use-distributed-optimizer
run --tensor-model-parallel-size 2 --expert-model-parallel-size 4 --use-distributed-optimizer
run --tensor-model-parallel-size 4 --expert-model-parallel-size 4 --expert-tensor-parallel-size 2
gpus=12 run --tensor-model-parallel-size 2 --context-parallel-size 3 --expert-model-parallel-size 4 --expert-tensor-parallel-size 1
run --expert-model-parallel-size 3
run --tensor-model-parallel-size 4 --expert-model-parallel-size 8 --use-tp-pp-dp-mapping --expert-tensor-parallel-size 1
