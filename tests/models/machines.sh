#!/usr/bin/env bash
# machines.sh RECIPE MACHINE...: Llama 3 8B on 16 devices of each machine, with products in a format, as four frameworks run it: the share of the peak rate that the model's work reaches, in percent; -: its library of attention does not run there.
export LC_ALL=C
recipe=$1; shift
status=0
for machine; do
  line=$(printf '%-5s %-18s' "$recipe" "$machine")
  for framework in megatron_core torchtitan llm_foundry maxtext; do
    if tsc -o "$scratch/plan.ir" -D "machine=$machine" -D "framework=$framework" -D "recipe=\"$recipe\"" _machines.ts 2>"$scratch/said"; then
      line+=$(tsrun --ignore-memory --format=json "$scratch/plan.ir" 2>/dev/null | awk '$1 == "\"mfu\":" { printf " %5.1f", 100 * $2; exit }')
    elif grep -q 'attention of `[a-z0-9]*` does not run' "$scratch/said"; then
      line+="     -"
    else
      line+=" $(grep -m1 error "$scratch/said")"; status=1
    fi
  done
  echo "$line"
done
exit $status
