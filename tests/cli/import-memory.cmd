# Closed forms of a GPT with learned positions and dropout (Korthikanti et al., arXiv 2205.05198): s
# b h (34 + 5 a s / h) a layer, the logits once in bf16 and once in fp32; state of 2 + 4 + 12 / 8
# bytes a parameter with the distributed optimizer, and three workspaces.
trainspec import --gpus 8 --gpu a100 -o $scratch/run.ts megatron CUBLAS_WORKSPACE_CONFIG=:4096:8 pretrain_gpt.py --num-layers 12 --hidden-size 512 --num-attention-heads 8 --seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 4 --global-batch-size 32 --bf16 --attention-backend unfused --use-distributed-optimizer &&
tsrun --format json $scratch/run.ts 2>/dev/null >$scratch/run.json
number() { grep -oE "\"$1\":[[:space:]]*[0-9]+" $scratch/run.json | head -1 | grep -oE "[0-9]+$"; }
awk -v peak=$(number peak_bytes) -v whole=$(number whole_step_bytes) 'BEGIN {
  s = 1024; b = 4; h = 512; a = 8; layers = 12; vocab = 50304
  parameters = vocab * h + s * h + layers * (12 * h * h + 13 * h) + 2 * h
  state = parameters * (2 + 4 + 12 / 8) + (2 * 32 + 4) * 1048576
  statistics = (2 * layers + 1) * 8 * s * b
  activations = layers * s * b * h * (34 + 5 * a * s / h) + s * b * (5 * h + 8) + statistics
  logits = s * b * vocab * (2 + 4)
  printf "state %.3f MiB, %.5f of the closed form\n", whole / 1048576, whole / state
  printf "peak %.1f MiB, %.5f of the closed form\n", peak / 1048576, peak / (state + activations + logits)
}'
