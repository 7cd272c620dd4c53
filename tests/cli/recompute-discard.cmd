# KiB that a layer more keeps: x, qkv, attention's output and sums, and of the MLP what the rule leaves: gate and value 1,024, act's output 512, ln2's output 128.
kept() { tsrun --format=json "$@" _discard.ts 2>/dev/null | sed -n 's/.*"activations_bytes":\s*\([0-9]*\).*/\1/p' | head -1; }
layer() { echo "$1, $2: $(( ($(kept -D "again=$1" -D eight=$2 -D layers=8) - $(kept -D "again=$1" -D eight=$2 -D layers=4)) / 4096 ))"; }
for eight in false true; do
  layer 'full(every: 1000)' $eight; layer 'selective("*.act")' $eight; layer 'selective("*.act", discard: true)' $eight
  layer 'selective("*.ln2", discard: true)' $eight; layer 'selective_by_op()' $eight
done
# Input and weight gradients apart: peak of each stage, and time recomputed.
tsrun -D pp=2 -D 'again=selective_by_op()' -D eight=true _discard.ts 2>/dev/null | sed -n '/step time/p;/^Stages/,/stage 1/p'
