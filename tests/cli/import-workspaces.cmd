# Workspaces of cuBLAS (two handles) and Transformer Engine, in bytes at the peak: 8,320 KiB and 4 MiB before Hopper, 32 MiB each from Hopper on, but PyTorch's on Blackwell from 2026-05 on.
for of in a100:202604 h100:202604 gb200:202604 gb200:202605; do
  trainspec import megatron pretrain_gpt.py --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 8 --vocab-size 32000 --bf16 --gpus 8 --gpu ${of%:*} --release ${of#*:} -o "$scratch/plan.ts"
  echo "$of $(tsrun --format=json "$scratch/plan.ts" 2>/dev/null | sed -n '/"at_peak"/,/}/s/.*"buffers_bytes":[^0-9]*\([0-9]*\).*/\1/p')"
done
