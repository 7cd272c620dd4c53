# Buckets count elements: max(40 M, 1 M x replicas) unless --ddp-bucket-size says otherwise, on the first stage and chunk alone, and only where sums overlap (Megatron-LM: resolve_ddp_bucket_size). A layer has 12 * 1024^2 weights, the embedding and the tied head 50304 * 1024; gradients are in fp32, gathers in bf16.
run() { echo "== $*"; trainspec import --gpus 8 --gpu h100 -o $scratch/run.ts megatron pretrain_gpt.py --num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 512 --max-position-embeddings 512 --position-embedding-type none --normalization RMSNorm --disable-bias-linear --bf16 --micro-batch-size 1 --global-batch-size 16 "$@" && tsc -S $scratch/run.ts -o - 2>/dev/null | grep -oE '^collective (all_gather|reduce_scatter|all_reduce).* over .*|(gradients|parameters): collective [^ ]* after [^ ]*'; }
run --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
run --use-distributed-optimizer --overlap-grad-reduce --ddp-bucket-size 20000000
run --use-distributed-optimizer
run --overlap-grad-reduce
run --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 2
# With so many replicas the bucket is larger.
trainspec import --gpus 512 --gpu h100 -o $scratch/run.ts megatron pretrain_gpt.py --num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 512 --max-position-embeddings 512 --position-embedding-type none --normalization RMSNorm --disable-bias-linear --bf16 --micro-batch-size 1 --global-batch-size 512 --context-parallel-size 2 --use-distributed-optimizer --overlap-grad-reduce && tsc -S $scratch/run.ts -o - 2>/dev/null | grep -E '^collective "?reduce_scatter'
