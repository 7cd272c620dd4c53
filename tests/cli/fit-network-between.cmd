# The sweep of a fabric on four nodes is enough for eight: the fit begins with another fabric and finds this one. And what `--between` refuses.
of() { trainspec collective std/networks/nccl_ampere.json --between std/networks/roce.json --ranks "$(($1 * 8))" --islands "$1" --bytes "$2"; }
rows() { printf 'collective,gpus,nodes,bytes,time_us\n'; for i in 10 12 14 16 18 20 22 24 26 28 30 32; do of "$1" $((1 << i)) | awk -v n="$1" 'NR == 2 { print "all_reduce," 8 * n "," n "," $1 "," $(NF - 1) }'; done; }
rows 4 >"$scratch/four.csv"
fit() { trainspec fit network --hardware std/networks/nccl_ampere.json --between "$@" 2>&1; echo "exit $?"; }
fit std/networks/infiniband.json --intra 450 --inter 400 "$scratch/four.csv" -o "$scratch/net.json" | sed -n '1p;$p'
near() { for bytes in 1024 1048576 268435456; do echo "$bytes $(of "$1" $bytes | awk 'NR == 2 { print $(NF - 1) }') $(trainspec collective "$scratch/net.json" --ranks "$(($1 * 8))" --islands "$1" --bytes $bytes | sed 's/  beyond.*//' | awk 'NR == 2 { print $(NF - 1) }')"; done | awk '{ e = $3 / $2 - 1; print $1, (e < 0.03 && e > -0.03) ? "within 3 %" : $0 }'; }
near 4; near 8; near 2
fit std/networks/infiniband.json "$scratch/four.csv" | sed "s|$scratch/||"
fit std/networks/nccl_hopper.json --intra 450 --inter 400 "$scratch/four.csv"
sed 's/32,4/32,1/' "$scratch/four.csv" >"$scratch/one.csv"
fit std/networks/infiniband.json --intra 450 --inter 400 "$scratch/one.csv" | sed "s|$scratch/||"
trainspec collective std/networks/nccl_hopper.json --between std/networks/nccl_hopper.json 2>&1
