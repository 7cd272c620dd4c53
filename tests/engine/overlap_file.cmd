# Slowdowns from a file: the first pair that fits, else `slow`, else the physics; and what a file may not say.
cp semantics_overlap.tsir "$scratch/plan.tsir"; cd "$scratch"
try() { echo "$1: $(printf "slowdown 1\n$1\n" >s && tsrun --overlap s plan.tsir 2>&1 | grep -E '^ +step time|does not take' | tr -s ' ')"; }
tsrun --overlap constant:2:1.25 plan.tsir 2>/dev/null | grep 'step time'
try 'model table\n# comment\n\npair * all_reduce 2 1.25\npair * * 3 3'
try 'model table\npair gemm * 3 3\nslow 2 1.25'
try 'model table'; try 'model physical\nsms 0.2\ntraffic 2'
for wrong in 'model fast' 'model learned' 'slow 0 1' 'traffic 1000' 'pair a b 0 1' 'sms 2' 'pears' 'sms 0.1'; do try "$wrong"; done
for o in constant:0 constant:2:x physical:2 nowhere nowhere.ubj; do tsrun --overlap $o plan.tsir 2>&1 | head -n 1; done
tsrun --overlap none plan.tsir 2>/dev/null | grep 'step time'
# A byte of 0 would end the file there, and leave the rows behind it out.
printf 'slowdown 1\nmodel table\nslow 2 1.25\n\0\npair * * 3 3\n' >s; tsrun --overlap s plan.tsir 2>&1 | head -n 1
# Rows that are about nothing here are told: a name of another vocabulary would do nothing in silence.
printf 'slowdown 1\nmodel table\npair matmul all_reduce 3 3\npair * all_gather 2 2\npair * all_reduce 2 1\n' >s; tsrun --overlap s plan.tsir | grep -A2 'without effect'
# The example of doc/overlap.md: its kernels are named as plans name them.
awk '/^slowdown 1$/ { on = 1 } /^```/ { on = 0 } on' "$OLDPWD/../../doc/overlap.md" >model.txt; wc -l <model.txt
tsrun --overlap model.txt -D tp=4 "$OLDPWD/../../examples/gpt2_large.ts" 2>/dev/null | grep 'without effect'
