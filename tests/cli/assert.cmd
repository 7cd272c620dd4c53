# Limits of a plan as a test.
try() { echo "== $*"; tsrun -W no-roofline-costs -W no-assumed-network -o /dev/null "$@" 2>&1; echo "exit $?"; }
try --assert 'step_time < 1 h and peak_memory < 79 GiB' --assert 'devices == 2' _plan.ts
try --assert 'step_time < 1 us and peak_memory < 1 KiB and devices == 8' --assert 'mfu > 0.9' _plan.ts
try --assert 'step_time * devices < 1 us or tokens_per_second / devices > 1e12' _plan.ts
try --assert 'step_time < 1 GiB' --assert 'devices == 2 and peak_memory' _plan.ts
try --assert 'step_tim < 1 s' _plan.ts
try --assert 'step_time < 1 s and' _plan.ts
try --assert '' _plan.ts
# Percent are no shares, whichever side they stand on and whatever they stand in.
try --assert 'mfu < 50' --assert '40 < max(mfu, hfu) and devices == 2' _plan.ts
try --assert 'mfu * 100 < 50 and hfu - mfu < 0.2 and mfu * 1 s / step_time > 2' _plan.ts
# 0 is known where it is stated.
sed 's/400 g.kWh/0 g\/kWh/' _money.ts >"$scratch/free.ts"
cd "$scratch"; try -D 'price=$0/h' --assert 'carbon < 1 kg and cost == $0' --assert 'carbon > 0 g' free.ts; cd - >/dev/null
# A figure that is not known satisfies nothing; a lack of memory is told too.
printf 'axis x 2\nstream compute\nkernel work 1 ms\nfragment F { compute work }\nprogram { F }\n' >"$scratch/plain.tsir"
cd "$scratch"; try --assert 'mfu < 1 and step_time == 1 ms' plain.tsir; cd - >/dev/null
try --assert 'peak_memory < 1 GiB' --assert 'step_time < 1 h' _crowded.ts | grep -v '^   [ =|]\|^$'
echo "== text"; tsrun --assert 'devices == 2' --assert 'step_time < 1 us' _plan.ts 2>/dev/null | sed -n '/^Asserted/,/^$/p'
echo "== json"; tsrun --format=json --assert 'devices == 2' _plan.ts | sed -n '/"assertions"/,/]/p'
echo "== html"; tsrun --format=html --assert 'devices == 2' _plan.ts | grep -c '^  holds  *devices =='
try --network=all --assert 'devices == 2' _plan.ts
