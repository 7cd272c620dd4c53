# One job, one answer: jobs as a command line of Megatron-LM, as a plan of `trainspec init` and as one written by hand, all of one profile: that which
# init takes by itself, where the command line has `--use-distributed-optimizer --overlap-grad-reduce`. The three step times are within 0.5 %.
here=$PWD; cd "$scratch"
llama3_8b() { echo --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8 --vocab-size 128256; }
llama3_70b() { echo --num-layers 80 --hidden-size 8192 --ffn-hidden-size 28672 --num-attention-heads 64 --num-query-groups 8 --vocab-size 128256; }
llama2_13b() { echo --num-layers 40 --hidden-size 5120 --ffn-hidden-size 13824 --num-attention-heads 40 --num-query-groups 40 --vocab-size 32000; }
mixtral_8x7b() { echo --num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --num-query-groups 8 --vocab-size 32000; }
step() { tsrun --ignore-memory --format=json "$@" 2>/dev/null | grep -oE '"step_time_ps":[[:space:]]*[0-9]+' | head -1 | grep -oE '[0-9]+'; }
job() { # MODEL SEQ MACHINE GPUS TP PP EP MICRO GLOBAL RECOMPUTE CHANGES [ARGUMENT]...; CHANGES of the profile
  local model=$1 seq=$2 machine=$3 gpus=$4 tp=$5 pp=$6 ep=$7 micro=$8 global=$9 recompute=${10} profile=() at; shift 10
  [ -z "$1" ] || profile=(-D "framework=megatron_lm with { $1 }"); shift
  [ $ep = 1 ] || set -- "$@" --num-experts 8 --expert-model-parallel-size $ep --moe-router-topk 2 --moe-grouped-gemm --moe-token-dispatcher-type alltoall
  [ "$recompute" = none ] || set -- "$@" --recompute-granularity full --recompute-method uniform --recompute-num-layers 1
  trainspec import megatron --gpu $machine --gpus $gpus -o import.ts pretrain_gpt.py $($model) --group-query-attention --seq-length $seq \
    --max-position-embeddings $seq --position-embedding-type rope --normalization RMSNorm --disable-bias-linear --swiglu --hidden-dropout 0 \
    --attention-dropout 0 --untie-embeddings-and-output-weights --bf16 --sequence-parallel --use-distributed-optimizer \
    --tensor-model-parallel-size $tp --pipeline-model-parallel-size $pp --micro-batch-size $micro --global-batch-size $global "$@" || return
  trainspec init --model "$model($seq)" --gpu $machine --gpus $gpus "${profile[@]}" -D "global=$global" $([ $ep != 1 ] || echo -D cp=1 -D 'offload="none"') -D v=1 -D micro=1 -D 'recompute="none"' -o init.ts 2>/dev/null
  at=(-D tp=$tp -D pp=$pp -D micro=$micro -D global=$global -D recompute='"'$recompute'"'); [ $ep = 1 ] || at+=(-D ep=$ep)
  printf '%s\n' "$(step import.ts)" "$(step init.ts "${at[@]}")" \
    "$(step "$here/_door.ts" "${at[@]}" -D "model=$model($seq)" -D gpus=$gpus -D machine=machine_$machine "${profile[@]}")" |
    awk -v job="$model, $gpus $machine, tp $tp, pp $pp, ep $ep" '{ t[NR] = $1 } END {
      low = high = t[1]; for (i = 2; i <= 3; i++) { if (t[i] < low) low = t[i]; if (t[i] > high) high = t[i] }
      printf "%s: %s\n", job, t[1] && t[2] && t[3] && high < 1.005 * low ? "within 0.5 %" : "import " t[1] ", init " t[2] ", by hand " t[3] }'
}
summed=--overlap-grad-reduce apart='overlap = false'
job llama3_70b 8192 h100 256 8 4 1 1 256 none "" $summed --use-flash-attn
job llama3_8b 8192 h100 8 1 1 1 1 32 full "$apart"
job llama3_8b 8192 h100 16 2 2 1 1 64 none "" $summed
job llama3_8b 4096 a100 16 4 1 1 2 128 none "$apart, attention = \"flash2\""
job llama3_8b 8192 h200 32 2 1 1 1 64 none "$apart, tensor = \"ring\"" --tp-comm-overlap
job llama3_8b 8192 b200 16 1 2 1 1 64 none "gradients = bf16" $summed --grad-reduce-in-bf16
job llama3_70b 8192 h100 64 8 4 1 1 64 none "attention = \"flash2\"" $summed --attention-backend flash
job llama3_70b 8192 h100 64 8 2 1 1 64 full "gather = true" $summed --overlap-param-gather
job llama3_70b 4096 b200 64 4 4 1 1 128 none "tensor = \"ring\"" $summed --tp-comm-overlap
job llama3_70b 8192 h100 64 8 4 1 1 64 none "$apart, loss = \"fused\"" --cross-entropy-loss-fusion --cross-entropy-fusion-impl te
job llama2_13b 4096 a100 32 8 1 1 1 64 none "attention = \"flash2\"" $summed
job llama2_13b 4096 h200 16 4 2 1 1 64 none "$apart, update = megatron_unclipped, bucket = 100_000_000, buckets = as_stated" --clip-grad 0 --ddp-bucket-size 100000000
job mixtral_8x7b 4096 h100 32 1 4 8 1 64 none "" $summed
job mixtral_8x7b 4096 h100 64 1 2 8 1 128 full "$apart"
