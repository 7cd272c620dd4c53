# Every argument of Megatron-LM's parser, in the releases that _megatron_arguments.txt names, is followed, without effect (for a reason), or refused: no name is unknown, none stands in two lists, and none is listed that no release has.
grep -h '^# of these' _megatron_arguments.txt
grep -oE '^--[^ ]+' _megatron_arguments.txt >$scratch/all
tr '\n' ' ' <$scratch/all | xargs -n 20 sh -c 'trainspec import megatron "$@" 2>&1' sh | grep -E 'unknown argument'
std=../../stdlib/frameworks
grep -oE '^      "[a-z0-9_ ]+"' $std/megatron_arguments.ts | tr -d '"' | xargs -n 1 | sort >$scratch/listed
sed -n '/^record MegatronArguments/,/^}/s/^  \([a-z0-9_]*\):.*/\1/p' $std/megatron.ts | sort >$scratch/followed
echo "in two lists: $(uniq -d $scratch/listed)"
echo "listed and followed: $(comm -12 $scratch/listed $scratch/followed)"
sed 's/^--//; s/-/_/g' $scratch/all | tr A-Z a-z | sort >$scratch/known
echo "of no release: $(sort -u $scratch/listed $scratch/followed | comm -13 $scratch/known - | xargs)"
grep -n '\*"' $std/megatron_arguments.ts
trainspec import megatron --moe-token-dispatcher-type alltoall --cuda-graph-impl none --rampup-batch-size 4 4 1000 --bucket 4 2>&1 | grep -E '^(warning|error)'
trainspec import megatron --moe-token-dispatcher-type flex --cuda-graph-impl=local --lr-decay-iter 4 2>&1 | grep -E '^(warning|error)|help'
trainspec import megatron --moe-token-dispatcher-type alltoall --cuda-graph-impl none --rampup-batch-size 4 4 1000 --no-rope-fusion 2>&1 | grep -E '^(warning|error)|^//'
