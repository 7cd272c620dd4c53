# What is summed `before step` begins when the backward has ended, and the update waits for it: nothing of it is hidden. The next step waits for what
# is gathered `after step`: a steady step is as long as the first.
tsrun --format=csv -D 'use=deepspeed_zero1(dp, reduce_bucket_size: 30000)' ../../packages/tracer/tests/scripts/zero.ts 2>/dev/null | awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
  NR > 1 && $1 != "" && $at["dp_collectives_calls"] { all = $at["dp_collectives_transfer_ps"]; print (all > 0 && $at["dp_collectives_exposed_ps"] == all ? "all is exposed" : $at["dp_collectives_exposed_ps"] " of " all) }'
tsc -S -D 'use=deepspeed_zero1(dp, reduce_bucket_size: 30000)' ../../packages/tracer/tests/scripts/zero.ts 2>/dev/null | sed -n '/^fragment S/,/^}/p' | grep -n -m 3 -E 'record|all_reduce|optimizer' | sed -E 's/ at .*//'
tsrun --format=json --steps 3 -D 'use=deepspeed_zero1(dp)' ../../packages/tracer/tests/scripts/zero.ts 2>/dev/null | python3 -c '
import json, sys
report = json.load(sys.stdin)
print(report["step_time_ps"] == report["steps"]["step_ps"])'
