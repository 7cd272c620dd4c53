printf '%s\n' '# a launch script' 'torchrun --nproc 8 \' ' pretrain_bert.py --num-layers 2 --hidden-size "512" --num-attention-heads 8 \' "  --seq-length '512' --max-position-embeddings 512 --micro-batch-size 4 --num-layers 4" >$scratch/args
trainspec import --from $scratch/args --gpus 1 megatron --bf16 --micro-batch-size 8 | grep -v '^  [a-z]* = run'
