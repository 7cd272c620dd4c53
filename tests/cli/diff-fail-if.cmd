# Tests of a change: slower, larger, dearer.
sed 's/layers: Int = 2/layers: Int = 3/' _plan.ts >_longer.ts; trap 'rm -f _longer.ts' EXIT
try() { echo "== $*"; trainspec diff "$@" _plan.ts _longer.ts 2>&1 >/dev/null | sed -n '/^error/,/^$/p'; echo "exit ${PIPESTATUS[0]}"; }
try --fail-if 'step_time > 1.01 * before'
try --fail-if 'step_time > 2 * before and peak_memory > before' --fail-if 'devices != before'
try --fail-if 'step_time > 2 * before or peak_memory > before or mfu < before'
try --fail-if 'step_time - before > 1 ms' --fail-if 'step_time > 1 us'
try --fail-if 'cost > before'
try --fail-if 'before > 3'
try --fail-if 'step_time > peak_memory * before'
try --fail-if 'step_time > 1 GiB or mfu > 50'
try --fail-if 'step_time >'
# The report is written all the same; messages once, as JSON, too.
trainspec diff --fail-if 'step_time > before' _plan.ts _longer.ts 2>/dev/null | sed -n 1,3p
trainspec diff --diagnostics=json --fail-if 'step_time > before' _plan.ts _longer.ts 2>&1 >/dev/null | grep -o '"code": *"R0402"'
# A pipe has no name of its own.
bash -c 'trainspec diff -I . <(cat _plan.ts) _longer.ts 2>/dev/null' | sed -n 1,3p
