# Whatever is played, a page is small: blocks that repeat are told once.
for m in 200 1000 20000; do tsrun -D "schedule=one_f_one_b(p: 4, m: $m)" --format=html ../../examples/schedule_lab.ts >"$scratch/timeline.html"; echo "$m micro-batches: $(($(wc -c <"$scratch/timeline.html") / 1000000)) MB"; done
tsrun -D "schedule=interleaved_one_f_one_b(p: 64, m: 512, v: 2)" --format=html ../../examples/schedule_lab.ts >"$scratch/timeline.html"; echo "64 stages, 512 micro-batches: $(($(wc -c <"$scratch/timeline.html") / 1000000)) MB"
