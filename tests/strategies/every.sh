#!/usr/bin/env bash
# every.sh: averages at periods of their own, of which there may be any number: step k of a plan has those whose period divides it. What the steps have as compiled, beside what they must have.
export LC_ALL=C
{
  echo 'import std.models.gpt, std.clusters.dgx, std.schedules.local_sgd'
  echo 'strategy averages(d: Axis) {'
  for n in $(seq 2 71); do printf '  rule every_%d {\n    match linear as "head"\n    after step: all_reduce(parameters, over: d, every: %d)\n  }\n' "$n" "$n"; done
  echo '}'
  echo 'plan many { model = gpt(layers: 1, hidden: 64, heads: 1, vocab: 128, seq: 16); cluster = dgx_a100(nodes: 1); mesh = { dp: 2 }; apply = [averages(dp)]'
  echo 'schedule = local_sgd(m: 1, steps: 71); costs = [roofline(a100_sxm_80g)] }'
} >"$scratch/every.ts"
tsc -S "$scratch/every.ts" | awk '
  /^[a-z]/ { inside = $1; name = $2 }
  inside == "fragment" && /all_reduce/ { sums[name]++ }
  inside == "program" && $1 ~ /^S(\.[0-9]+)?$/ {
    step++
    for (n = 2; n <= step; n++) wanted += step % n == 0
    found += sums[$1]
    differs += found != wanted
  }
  END { print step " steps, " found " averages; steps that differ: " differs + 0 }'
