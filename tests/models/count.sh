#!/usr/bin/env bash
# count.sh FAMILY: parameters and forward FLOPs of its models as compiled, beside what is published and the closed form (published.csv, closed.awk).
# `off` marks what is farther from it than the table allows; then the exit code is 1.
export LC_ALL=C
status=0
printf '%-34s %15s %15s %9s %13s %13s %9s\n' model parameters published difference GFLOP 'closed form' difference
while IFS=';' read -r family model parameters tolerance flops flops_tolerance source; do
  [ "$family" = "$1" ] || continue
  tsc -S -o - -D "model=$model" _plan.ts >"$scratch/count.ir" || exit 1
  awk -f closed.awk -f <(printf '%s\n' "
    function unit(u) { return u == \"FLOP\" ? 1 : 10 ^ (3 * index(\"kMGTPE\", substr(u, 1, 1))) }
    function off(found, said) { return 100 * (found / said - 1) }
    function verdict(o, most) { return o > most + 1e-9 || o < -most - 1e-9 ? sprintf(\"%.2f %% off\", o) : most ? sprintf(\"%.2f %%\", o) : \"equal\" }
    \$1 == \"parameters\" { parameters = \$2 }
    \$1 == \"kernel\" { for (i = 3; i < NF; i++) if (\$i == \"flops\") flops[\$2] = \$(i + 1) * unit(\$(i + 2)) }
    \$1 == \"fragment\" { forward = \$2 == \"F\" }
    forward && \$2 == \"compute\" { sum += flops[\$3] }
    END {
      p = verdict(off(parameters, $parameters), $tolerance); closed = $flops; f = verdict(off(sum, closed), $flops_tolerance)
      printf \"%-34s %15.0f %15.0f %9s %13.3f %13.3f %9s\n\", \"$model\", parameters, $parameters, p, sum / 1e9, closed / 1e9, f
      exit p ~ /off/ || f ~ /off/
    }") "$scratch/count.ir" || status=1
done <published.csv
exit $status
