#!/usr/bin/env bash
# beyond.sh DATA: how far fits are off beyond their data. Of each table of DATA/ops a fit learns the half of the rows with the least work, and
# foretells rows of the other half (std.errors_chosen, "assumed"). Tables that are absent are passed over. Takes minutes: ./dev accuracy beyond.
set -eo pipefail
export LC_ALL=C
data=$1/ops
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# beyond TABLE DEVICE UNITS FAMILY WORK EVERY: WORK grows with that of a row, in awk's words; one of EVERY rows is taken.
beyond() {
  [ -f "$data/$1.csv.gz" ] || { echo "$2 $4: skipped, there is no ops/$1.csv.gz"; return 0; }
  zcat "$data/$1.csv.gz" | awk -F, 'NR == 1 || $1 == "bfloat16" && (NF < 8 || $2 == "bfloat16")' >"$scratch/all.csv"
  middle=$(awk -F, "NR > 1 { print $5 }" "$scratch/all.csv" | sort -g | awk '{ work[NR] = $1 } END { print work[int(NR / 2)] }')
  awk -F, -v middle="$middle" "NR == 1 || ($5) <= middle" "$scratch/all.csv" | awk -v n="$6" 'NR == 1 || NR % n == 0' >"$scratch/low.csv"
  awk -F, -v middle="$middle" "NR == 1 || ($5) > middle" "$scratch/all.csv" | awk -v n="$6" 'NR == 1 || NR % n == 0' >"$scratch/high.csv"
  trainspec fit ops "$scratch/low.csv" --family "$4" --device "$2" --units "$3" --keep 0.3 -o "$scratch/low.fit.json" >"$scratch/said"
  trainspec fit ops --update "$scratch/low.fit.json" "$scratch/high.csv" -o "$scratch/all.fit.json" | sed -E "s/^[^:]*: ([0-9]+) rows.*before ([0-9.]+ %).*/$2 $4: \1 rows, mean error \2/"
}
for gpu in a100_sxm:108:1 h100_sxm:132:6 b200_sxm:148:6 gb200:152:6; do
  IFS=: read -r name units every <<<"$gpu"
  beyond "gemm_$name" "$name" "$units" gemm '$2 * $3 * $4' "$every"
  beyond "attention_$name" "$name" "$units" attention '$3 * $4 * $4 * $5 * $7' 2
done
