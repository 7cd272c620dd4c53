fit() { trainspec fit network --hardware std/networks/nccl_hopper.json "$@" 2>&1; echo "exit $?"; }
fit _cut.log
printf '# Collective test starting: all_reduce_perf\n#  Rank  0 on a device 0 [0] X\n#  Rank  1 on a device 1 [1] X\n# size count type redop root time algbw busbw #wrong\n1024 256 float sum -1 7.5 0.1 0.1 3\n' > "$scratch/wrong.log"
cd "$scratch"
fit wrong.log
printf 'bytes,time_us\n1024,7.5\n' > one.csv
fit --of all_reduce one.csv
printf '{"trainspec-network": 1, "methods": [{"collective": "all_reduce", "algorithm": "star"}]}' > bad.json
trainspec fit network --hardware bad.json one.csv 2>&1
printf '{"trainspec-network": 1, "links": [{"intra_gb_s": 1}]}' > list.json
trainspec fit network --hardware list.json one.csv 2>&1
fit
fit --of nothing one.csv
fit --where gpu one.csv
