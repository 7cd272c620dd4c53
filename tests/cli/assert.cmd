# Limits of a plan as a test.
try() { echo "== $*"; tsrun -W no-roofline-costs -W no-assumed-network -o /dev/null "$@" 2>&1; echo "exit $?"; }
try --assert 'step_time < 1 h and peak_memory < 79 GiB' --assert 'devices == 2' _plan.ts
try --assert 'step_time < 1 us and peak_memory < 1 KiB and devices == 8' --assert 'mfu > 2' _plan.ts
try --assert 'step_time * devices < 1 us or tokens_per_second / devices > 1e12' _plan.ts
try --assert 'step_time < 1 GiB' --assert 'devices == 2 and peak_memory' _plan.ts
try --assert 'step_tim < 1 s' _plan.ts
try --assert 'step_time < 1 s and' _plan.ts
try --assert '' _plan.ts
# A figure that is not known satisfies nothing; a lack of memory is told too.
printf 'axis x 2\nstream compute\nkernel work 1 ms\nfragment F { compute work }\nprogram { F }\n' >"$scratch/plain.tsir"
cd "$scratch"; try --assert 'mfu < 1 and step_time == 1 ms' plain.tsir; cd - >/dev/null
try --assert 'peak_memory < 1 GiB' --assert 'step_time < 1 h' _crowded.ts | grep -v '^   [ =|]\|^$'
echo "== text"; tsrun --assert 'devices == 2' --assert 'step_time < 1 us' _plan.ts 2>/dev/null | sed -n '/^Asserted/,/^$/p'
echo "== json"; tsrun --format=json --assert 'devices == 2' _plan.ts | sed -n '/"assertions"/,/]/p'
echo "== html"; tsrun --format=html --assert 'devices == 2' _plan.ts | grep -c '^  holds  *devices =='
try --network=all --assert 'devices == 2' _plan.ts
