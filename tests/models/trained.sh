#!/usr/bin/env bash
# trained.sh NAME OPTIONS...: model FLOPs of a sample of one model on plans that differ in ranks, kernels, load, recomputation and number formats (options of
# tsc, one argument for each plan): the first as a number, all others as what they differ from it, which must be nothing. Behind it the FLOPs that all ranks execute
# over those of the model.
export LC_ALL=C
status=0 first=
for options; do
  eval "tsrun --ignore-memory --format=json $options _plan.ts" >"$scratch/trained.json" 2>"$scratch/said" || { head -1 "$scratch/said"; exit 1; }
  read -r model executed < <(awk '
    function value(line) { sub(/.*:[ \t]*/, "", line); sub(/,$/, "", line); return line }
    /"samples_per_step"/ { samples = value($0) }
    /"ranks"/ && !ranks { ranks = value($0) }
    /"model_flop_per_step"/ && !model { model = value($0) }
    /"step_time_ps"/ { step = value($0) * 1e-12 }
    /"executed_flop_per_second_per_device"/ { executed = value($0) * step * ranks }
    END { printf "%.17g %.4f\n", model / samples, executed / model }' "$scratch/trained.json")
  first=${first:-$model}
  awk -v options="$options" -v model="$model" -v first="$first" -v executed="$executed" 'BEGIN {
    off = model / first - 1; if (off < 0) off = -off
    printf "%-100s %20.0f %10s %8.4f\n", options, model, (off < 1e-12 ? "equal" : sprintf("%.3g off", off)), executed
    exit off >= 1e-12
  }' || status=1
done
exit $status
