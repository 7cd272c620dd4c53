# Stages cut by time, two a rank: the step stands within 3 % of the best of all 36 divisions, where an even one may be far off.
sizes=$(awk 'BEGIN { for (a = 0; a < 8; a++) for (b = a; b < 8; b++) { printf "%s[", a + b ? ", " : ""; for (s = 0; s < 8; s++) printf "%s%d", s ? ", " : "", 1 + (s == a) + (s == b); printf "]" } }')
step() { tsrun --format=json -D head="$1" -D balanced="$2" _balanced.ts 2>&1 | sed -n 's/.*"step_time_ps":\s*\([0-9]*\).*/\1/p'; }
for head in 10us 50us 150us 350us 1ms; do
  best=$(trainspec sweep --format=csv --top 1 --vary "sizes=[$sizes]" -D head=$head _balanced.ts 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^step_time/) at = NF - i } NR == 2 { print $(NF - at) }')
  awk -v head=$head -v best="$best" -v cut="$(step $head true)" -v even="$(step $head false)" 'BEGIN { if (best < 1) best *= 1e12; printf "head %s: %.3f, evenly %.3f times the best, %s\n", head, cut / best, even / best, cut <= 1.03 * best ? "close" : "NOT close" }'
done
