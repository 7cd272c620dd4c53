# One job, one answer: twelve jobs as a command line of Megatron-LM, as a plan of `trainspec init` and as one written by hand, all of one profile.
# The three step times are within 0.5 %.
here=$PWD; cd "$scratch"
llama3_8b() { echo --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8 --vocab-size 128256; }
llama3_70b() { echo --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 --num-query-groups 8 --vocab-size 128256; }
llama2_13b() { echo --num-layers 40 --hidden-size 5120 --ffn-hidden-size 13824 --num-attention-heads 40 --num-query-groups 40 --vocab-size 32000; }
step() { tsrun --ignore-memory --format=json "$@" 2>/dev/null | grep -oE '"step_time_ps":[[:space:]]*[0-9]+' | head -1 | grep -oE '[0-9]+'; }
job() { # MODEL SEQ MACHINE GPUS TP PP MICRO GLOBAL RECOMPUTE PROFILE [ARGUMENT]...
  local model=$1 seq=$2 machine=$3 gpus=$4 tp=$5 pp=$6 micro=$7 global=$8 recompute=$9 profile="megatron_lm with { ${10} }"; shift 10
  [ "$recompute" = none ] || set -- "$@" --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
  trainspec import megatron --gpu $machine --gpus $gpus -o import.ts pretrain_gpt.py $($model) --group-query-attention --seq-length $seq \
    --max-position-embeddings $seq --position-embedding-type rope --normalization RMSNorm --disable-bias-linear --swiglu --hidden-dropout 0 \
    --attention-dropout 0 --untie-embeddings-and-output-weights --bf16 --sequence-parallel --use-distributed-optimizer \
    --tensor-model-parallel-size $tp --pipeline-model-parallel-size $pp --micro-batch-size $micro --global-batch-size $global "$@" || return
  trainspec init --model "$model($seq)" --gpu $machine --gpus $gpus -D "framework=$profile" -D "global=$global" -o init.ts 2>/dev/null
  local at=(-D tp=$tp -D pp=$pp -D micro=$micro -D global=$global -D recompute='"'$recompute'"')
  printf '%s\n' "$(step import.ts)" "$(step init.ts "${at[@]}")" \
    "$(step "$here/_door.ts" "${at[@]}" -D "model=$model($seq)" -D gpus=$gpus -D machine=machine_$machine -D "framework=$profile")" |
    awk -v job="$model, $gpus $machine, tp $tp, pp $pp" '{ t[NR] = $1 } END {
      low = high = t[1]; for (i = 2; i <= 3; i++) { if (t[i] < low) low = t[i]; if (t[i] > high) high = t[i] }
      printf "%s: %s\n", job, t[1] && t[2] && t[3] && high < 1.005 * low ? "within 0.5 %" : "import " t[1] ", init " t[2] ", by hand " t[3] }'
}
zero='sharding = "zero1"' summed=--overlap-grad-reduce
job llama3_8b 8192 h100 8 1 1 1 32 full "$zero"
job llama3_8b 8192 h100 16 2 2 1 64 none "$zero, overlap = true" $summed
job llama3_8b 4096 a100 16 4 1 2 128 none "$zero, attention = \"flash2\""
job llama3_8b 8192 h200 32 2 1 1 64 none "$zero, tensor = \"ring\"" --tp-comm-overlap
job llama3_8b 8192 b200 16 1 2 1 64 none "$zero, overlap = true, gradients = bf16, attention = \"flash2\"" $summed --grad-reduce-in-bf16
job llama3_70b 8192 h100 64 8 4 1 64 none "$zero, overlap = true, attention = \"flash2\"" $summed --use-flash-attn
job llama3_70b 8192 h100 64 8 2 1 64 full "$zero, overlap = true, gather = true" $summed --overlap-param-gather
job llama3_70b 4096 b200 64 4 4 1 128 none "$zero, overlap = true, tensor = \"ring\", attention = \"flash2\"" $summed --tp-comm-overlap
job llama3_70b 8192 h100 64 8 4 1 64 none "$zero, loss = \"fused\"" --cross-entropy-loss-fusion --cross-entropy-fusion-impl te
job llama2_13b 4096 a100 32 8 1 1 64 none "$zero, overlap = true, attention = \"flash2\"" $summed
job llama2_13b 4096 h100 16 2 2 2 128 full "$zero, update = megatron_unclipped" --clip-grad 0
job llama2_13b 4096 h200 16 4 2 1 64 none "$zero, bucket = 100_000_000, buckets = as_stated" --ddp-bucket-size 100000000
