#!/usr/bin/env bash
# bounded.sh: what a step allocates it gives back. With three times the micro-batches the peak of memory is the same, under 1F1B and where the halves of the
# backward are apart.
export LC_ALL=C
status=0
peak() { tsrun --format json -D "use=$1" -D zb="$2" -D m="$3" -D pp=4 -D dp=2 -D cp=2 -D tp=2 -D ep=2 -D experts=8 _plan.ts 2>/dev/null | awk '$1 == "\"peak_memory_bytes\":" && !n++ { print $2 + 0 }'; }
for use in '["ddp"]' '["zero1"]' '["zero2"]' '["zero3"]' '["ds2"]' '["ds3"]' '["ds3_little"]' '["fsdp"]' '["fsdp_keep"]' '["fsdp", "full"]' '["hsdp", "selective"]' '["second", "zero2"]' '["ring", "sp"]' \
  '["gather", "offload"]' '["ulysses", "tp", "full", "offload"]' '["ep", "etp", "sp", "fsdp"]' '["tied", "fp8", "offload_optimizer"]'; do
  for zb in false true; do
    few=$(peak "$use" $zb 8); many=$(peak "$use" $zb 24)
    [ -n "$few" ] && [ "$few" = "$many" ] && verdict=bounded || { verdict="$few, then $many"; status=1; }
    printf '%-44s %-5s %s\n' "$use" "$([ $zb = true ] && echo zb || echo 1f1b)" "$verdict"
  done
done
exit $status
