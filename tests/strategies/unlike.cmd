# Ranks on two kinds of devices: each is priced by the sources that are for it; replicas on both wait for the slower; without a source of their own
# they take the other's, and the warning says for what share. `balanced` and policies know a device's speed and `slow`.
run() {
  echo "$*"
  tsrun --ignore-memory --format=csv "$@" _unlike.ts 2>$scratch/warned | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR > 1 { printf "  %s: %.2f of %.2f ms\n", $at["program"], $at["compute_ps"] / 1e9, $at["step_ps"] / 1e9 }'
  grep -A4 W0531 $scratch/warned | grep -E 'W0531|rest'
}
run
run -D dp=4
run -D 'costs=on(h100_sxm, [h100_time])'
run -D 'costs=[h100_time]'
run -D 'costs=[h100_time]' -D speed=0.5
run -D 'costs=[h100_time]' -D late=2
for how in late=1 speed=1/3 slowed=true; do
  tsc --emit=schedule-csv -D policy=true -D 'costs=[h100_time]' -D ${how/1\/3/0.3333333333333333} _unlike.ts 2>/dev/null | md5sum | cut -c1-8
done | awk '{ order[NR] = $1 } END { print "an order of its own for slower devices:", order[1] != order[2]; print "the same as for slowed work:", order[2] == order[3] }'
