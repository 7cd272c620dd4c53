#!/usr/bin/env bash
# count.sh FAMILY: parameters, forward FLOPs and model FLOPs of its models as compiled, beside what is published and the closed form (published.csv, closed.awk).
# Model FLOPs are those of the forward three times, less what no step needs: masked scores, the gradient of a picture.
# `off` marks what is farther from it than the table allows; then the exit code is 1.
export LC_ALL=C
status=0
printf '%-34s %15s %15s %9s %13s %13s %9s %13s %13s %9s\n' model parameters published difference GFLOP 'closed form' difference trained 'closed form' difference
while IFS=';' read -r family model parameters tolerance flops flops_tolerance source; do
  [ "$family" = "$1" ] || continue
  case $family in
    gpt) trained="3 * ($flops - masked_${flops})" ;;
    vit | clip) trained="3 * $flops - patches(${flops#*\(}" ;;
    vgg | resnet | densenet) trained="3 * $flops - first(\"$model\")" ;;
    lora) trained="3 * $flops - frozen_$flops" ;;
    *) trained="3 * $flops" ;;
  esac
  tsc -S -o - -D "model=$model" _plan.ts >"$scratch/count.ir" || exit 1
  awk -f closed.awk -f <(printf '%s\n' "
    function unit(u) { return u == \"FLOP\" ? 1 : 10 ^ (3 * index(\"kMGTPE\", substr(u, 1, 1))) }
    function off(found, said) { return 100 * (found / said - 1) }
    function verdict(o, most) { return o > most + 1e-9 || o < -most - 1e-9 ? sprintf(\"%.2f %% off\", o) : most ? sprintf(\"%.2f %%\", o) : \"equal\" }
    \$1 == \"parameters\" { parameters = \$2 }
    \$1 == \"model_flops\" { model = \$2 * unit(\$3) }
    \$1 == \"kernel\" { for (i = 3; i < NF; i++) if (\$i == \"flops\") flops[\$2] = \$(i + 1) * unit(\$(i + 2)) }
    \$1 == \"fragment\" { forward = \$2 == \"F\" }
    forward && \$2 == \"compute\" { sum += flops[\$3] }
    END {
      p = verdict(off(parameters, $parameters), $tolerance); closed = $flops; f = verdict(off(sum, closed), $flops_tolerance)
      needed = $trained; m = verdict(off(model, needed), $flops_tolerance)
      printf \"%-34s %15.0f %15.0f %9s %13.3f %13.3f %9s %13.3f %13.3f %9s\n\", \"$model\", parameters, $parameters, p, sum / 1e9, closed / 1e9, f, model / 1e9, needed / 1e9, m
      exit p ~ /off/ || f ~ /off/ || m ~ /off/
    }") "$scratch/count.ir" || status=1
done <published.csv
exit $status
