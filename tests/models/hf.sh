#!/usr/bin/env bash
# hf.sh WHICH: parameters of configurations of _hf_configurations.txt beside their formulas, and what is divided; 1 where one is off. WHICH, in awk, chooses among its lines.
export LC_ALL=C
status=0
while IFS='|' read -r name modes formula config; do
  printf '%s\n' "$config" >"$scratch/config.json"
  tsc -S -o - -D "model=hf(\"$scratch/config.json\")" _plan.ts >"$scratch/count.ir" 2>"$scratch/said" || { echo "$name: $(head -3 "$scratch/said")"; status=1; continue; }
  verdict=$(awk -v v=1000 -v h=64 -v f=96 -v q=64 -v k=32 "\$1 == \"parameters\" { n = \$2 } END { e = $formula; printf \"%8d %s\", n, n == e ? \"equal\" : \"off: \" e }" "$scratch/count.ir")
  case $verdict in *off*) status=1 ;; esac
  ./compile.sh "$modes" "hf(\"$scratch/config.json\")" >"$scratch/divided" || status=1
  printf '%-26s %s %s\n' "$name" "$verdict" "$(sed 's/^hf([^)]*) *//' "$scratch/divided")"
  cat "$scratch/said"
done < <(grep -v '^#' _hf_configurations.txt | grep . | awk "$1")
exit $status
