of() { echo "== $*" && tsrun --ignore-memory -D layers=2 "$@" _full_training.ts 2>/dev/null | sed -n '/^  step time/p; /^Compute time/,/^[NAP]/{/^[NAP]/d;p}'; }
of -D of=training_h100 && of && of -D machine=machine_h200 && of -D machine=machine_a100 && of -D format=bf16 &&
of -D 'of=[fit("std/fits/h100_sxm_fp32.fit.json")] + machine_costs(machine_h100)' &&
tsrun -D 'of=[fit("std/fits/h100_sxm_fp32.fit.json", floor: 0 us)]' _full_training.ts
tsrun -D 'of=[fit("std/fits/h100_sxm_fp32.fit.json", beyond: 0.5)]' _full_training.ts
