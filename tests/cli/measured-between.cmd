# A table of two nodes in which calls take twice as long as the white box has it. On two nodes the table answers. On four and eight the white box does, led by the table: its error, a factor
# of 2, counts a half and a quarter, 2^(1/2) and 2^(1/4) (doc/networks.md, "Ranks or nodes that were not measured"). Other collectives are not led.
box='whitebox(algorithm: "ring", connection: 20 us, intra_hop: 1 us, inter_hop: 5 us)'
time_of() { tsrun --allow-read="$scratch" -D nodes=$1 -D "models=[$2]" --format json _between.ts 2>/dev/null | awk -F'[:,]' '/"time_of_all_ranks_ps"/ { time += $2 } /"bytes_of_all_ranks"/ { bytes += $2 } /"calls_of_all_ranks"/ { calls += $2 } /"extrapolated_share/ { beyond = 1 } END { printf "%.17g %.0f %d", time / calls, bytes / calls, beyond }'; }
read -r time bytes beyond <<<"$(time_of 2 "$box")"
awk -v t=$time -v b=$bytes 'BEGIN { print "collective,ranks,islands,bytes,time_us"; printf "all_reduce,16,2,%d,%.9f\n", b, 2 * t / 1e6 }' >"$scratch/nccl.csv"
for nodes in 2 4 8; do
  read -r alone rest <<<"$(time_of $nodes "$box")"
  read -r led bytes beyond <<<"$(time_of $nodes "measured(table \"$scratch/nccl.csv\"), $box")"
  awk -v n=$nodes -v a=$alone -v l=$led -v e=$beyond 'BEGIN { printf "%d nodes: %.3f times as long%s\n", n, l / a, e ? ", extrapolated" : "" }'
done
tsrun --allow-read="$scratch" -D nodes=4 -D "models=[measured(table \"$scratch/nccl.csv\"), $box]" _between.ts 2>/dev/null | grep -E 'extrapolated|beyond'
