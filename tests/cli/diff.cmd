# The reviewer's question: what does this change of a plan do?
sed 's/layers: Int = 2/layers: Int = 3/; s/dp: Int = 2/dp: Int = 4/' _plan.ts >_altered.ts; trap 'rm -f _altered.ts' EXIT
compare() { echo "== $*"; trainspec diff "$@" 2>&1; echo "exit $?"; }
compare _plan.ts _plan.ts
compare _plan.ts _altered.ts
compare -D layers=2 -D dp=2 _plan.ts _altered.ts
tsc -o "$scratch/plan.ir" _plan.ts; tsc -D launch=9us -o "$scratch/slow.ir" _plan.ts
cd "$scratch"; compare plan.ir slow.ir; cd - >/dev/null
echo "== json"; trainspec diff --format=json "$scratch/plan.ir" "$scratch/slow.ir" | sed -n 1,11p
echo "== html"; cd "$scratch"; trainspec diff --format=html plan.ir slow.ir | sed -n '/<section id="comparison">/,/^<\/section>/p;/class="run">/,/"streams"/p'
tsrun --diff=plan.ir --format=html slow.ir | grep -c 'class="run"'; cd - >/dev/null
compare _plan.ts
compare -D dp=3 _plan.ts nowhere.ts
# A plan that only communicates has no compute time to rest on anything.
talk() { printf 'axis x 2\ngroup all = x\nstream compute\nstream comm\nfragment F { all_gather %s over all on comm }\nprogram { F }\n' "$1"; }
talk "1 MB" >"$scratch/one.tsir"; talk "2 MB" >"$scratch/two.tsir"
cd "$scratch"; compare one.tsir two.tsir; cd - >/dev/null
compare - - </dev/null; tsrun --diff - - </dev/null 2>&1; echo "exit $?"
# Each choice of a framework that differs, alone, and their sum beside the whole difference; what has no framework has none, and other forms refuse.
sed 's/framework: Framework = megatron_lm/& with { tensor = "ring", loss = "fused", overlap = false }/' _hand.ts >"$scratch/other.ts"
job=(-D 'model=llama3_8b()' -D machine=machine_h100 -D gpus=16 -D tp=4)
trainspec diff --choices "${job[@]}" _hand.ts "$scratch/other.ts" | sed -n '/^choices/,$p'
trainspec diff --choices _plan.ts _plan.ts; trainspec diff --choices --format=json _plan.ts _plan.ts 2>&1 | head -1
