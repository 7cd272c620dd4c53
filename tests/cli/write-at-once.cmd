# Programs that write one file at the same time: each writes a whole one, and a file of the user's of a similar name stays.
plan=$PWD/_plan.ts; export="trainspec export --format=goal"; cd "$scratch"; cp "$OLDPWD"/_sizes.ts "$OLDPWD"/_ops.csv .; tsc -o plan.ir "$plan"; $export -o alone plan.ir; echo mine >job.part; mkdir once; wrong=0
for i in 1 2 3 4 5 6 7 8 9 10; do $export -o once/job plan.ir & first=$!; $export -o once/job plan.ir || wrong=1; wait $first || wrong=1; cmp alone once/job || wrong=1; done; echo "$wrong wrong"; ls -A once; cat job.part
