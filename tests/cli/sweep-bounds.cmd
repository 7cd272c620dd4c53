# What cannot be among the best is not played: the best are the same, and the report is, for any number of threads, of parts, and after a kill.
cp ../../examples/degrees.ts _sweep.ts $scratch; cd $scratch; mkdir bounds; cp degrees.ts _sweep.ts bounds; cd bounds
s() { trainspec sweep --top 3 --vary m=1..31 --set dp=2 "$@" _sweep.ts 2>/dev/null; }
s -j1 | tee one; s -j4 | cmp - one
s --all >all; diff <(sed -n 3,6p one) <(sed -n 3,6p all) && echo "the same best"; sed -n 7p all
s --shard 1/2 --journal a >/dev/null; s --shard 2/2 --journal b >/dev/null; trainspec sweep merge -o ab b a >/dev/null; s --journal ab --resume | cmp - one
s --all --journal c | cmp - all; s --journal c --resume | cmp - one # what was played in full is bounded all the same
s --all --journal ab --resume | cmp - all # and the other way round
s --maximize tokens_per_second | sed -n '1p;4p;$p'; s --minimize 'step_time * 2' | sed -n '1p;4p;7p'; s --require 'step_time < 47 ms' | sed -n '/Left/,/memory/p'
echo "== a plan that violates a condition is not behind the best"; v() { trainspec sweep --set dp=2 --vary "m=[32,16,8,4,2,1]" --minimize 'max(step_time, 1 s)' --require 'mfu > 0.48' "$@" _sweep.ts 2>/dev/null | sed -n '/Left/,/^$/p'; }
v --top 1; v --top 1 --all
echo "== memory"; d() { trainspec sweep -D tp=8 -D pp=8 "$@" degrees.ts 2>/dev/null; }
d | tail -4; diff <(d | tail -1) <(d --all | tail -1)
