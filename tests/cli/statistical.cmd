{ echo collective,gpus,nodes,bytes,time_us; for n in 1 2 4; do for b in 65536 262144 1048576 4194304 16777216 67108864; do for r in 1 2 3 4 5; do echo "all_reduce,$((8 * n)),$n,$b,$((20 + 5 * n + b / 100000 + r * r))"; done; done; done; } > "$scratch/repeats.csv"
echo 'bytes,time_us' > "$scratch/few.csv"; echo '1024,7.5' >> "$scratch/few.csv"
networks=$PWD/_networks.ts
cd "$scratch"
trainspec fit network --model statistical repeats.csv -o curves.json && grep -c intra_limit curves.json && grep -c late_one curves.json
sed '1s/collective/operation/' repeats.csv > others.csv && trainspec fit network --model statistical others.csv -o others.json && diff <(grep -v '"file"' curves.json) <(grep -v '"file"' others.json) && echo 'the same by operation'
trainspec fit network --model statistical --of all_reduce few.csv 2>&1; echo "exit $?"
trainspec fit network --model curves few.csv 2>&1 | head -1
cp "$networks" plan.ts
play() { tsrun -D "network=[$1]" plan.ts 2>&1 | sed -n '/^  dp /p;/^  statistical /p;/^  whitebox /p;/extrapolated/p;/^error/,$p'; }
play 'statistical("curves.json")'
play 'statistical("std/networks/nccl_hopper.json")'
play 'whitebox("curves.json")'
play 'statistical("curves.json", over: pp)'
sed -i 's/"least_ranks": 8/"least_ranks": 80/' curves.json
play 'statistical("curves.json")'
# Equation 14: another cluster, half as fast, is learnt from call by call; what cannot be learnt from is refused, and no file is left.
awk -F, -v OFS=, 'NR > 1 { $5 *= 2 } 1' repeats.csv >slow.csv; sed -i 's/"least_ranks": 80/"least_ranks": 8/' curves.json
trainspec fit network --model statistical --update curves.json slow.csv -o slow.json && grep -o '{"file"[^}]*}' slow.json | sed 's/"sha256": "[0-9a-f]*"/SHA/'
trainspec fit network --model statistical --update slow.json slow.csv | tail -1
for rate in 0 0.3 x; do trainspec fit network --model statistical --update curves.json --rate $rate slow.csv -o no.json 2>&1 | head -1; done
trainspec fit network --update curves.json --hardware std/networks/nccl_hopper.json slow.csv 2>&1 | head -1
sed 's/all_reduce/broadcast/' slow.csv >none.csv; : >empty.json; head -c 300 curves.json >cut.json; cat curves.json slow.csv >mixed.json; sed 's/"w_time"/"small_few"/' curves.json >old.json
trainspec fit network --model statistical --update curves.json none.csv -o no.json 2>&1; echo "exit $?"
for f in empty cut mixed old; do trainspec fit network --model statistical --update $f.json slow.csv -o no.json 2>&1; echo "exit $?"; done; ls no.json 2>&1
