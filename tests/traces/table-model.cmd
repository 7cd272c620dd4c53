# A timed graph becomes a table that trace() reads: the second of two micro-batches, all rows of which add up to the plan's step on one device; then other batches, replicas, stages, tensor parallelism.
cp _timed.json.gz $scratch && cat _recorded.ts >$scratch/recorded.ts && cd $scratch && trainspec table --model -o recorded.csv _timed.json.gz && sed -n '1,20p;$p' recorded.csv
awk -F'"' 'NR > 3 { gsub(/"[^"]*"/, "s"); n = split($0, c, ","); s += c[6] + c[7] + c[8] } END { printf "rows add up to %.2f ms\n", s / 1000 }' recorded.csv
for d in "-Dtp=1" "-Dmicro=4" "-Ddp=2" "-Dpp=2" "-Dtp=4" "-Dtp=2 -Ddp=2 -Dpp=2"; do echo "$d: $(tsc $d recorded.ts -o r.ir && tsrun r.ir | grep -E 'step time|parameters$' | tr -s ' ' | tr '\n' ' ')"; done
