# Long. Orders are played in pairs and with whole backwards, too; what is written plays as it was reported. A search that begins with the plan's own pairs is no longer than they are, for any number of threads.
sed 's/, sizes: .*/)/' ../../examples/deepseek_v3.ts >"$scratch/deepseek_v3.ts"; cd "$scratch"
plan='-D pp=4 -D dp=1 -D global=640'; search() { trainspec schedule --budget=300 --memory=1000GiB $plan "$@" deepseek_v3.ts 2>/dev/null; }
search --fresh | sed -nE 's/take [0-9.]+ m?s/take SOME/; /^(Back|For)wards/p; /lower bound/s/.*(all hidden)/\1/p'
search --format=json -j1 >one; search --format=json -j3 | cmp - one; jq -c '[.played, .found.step_time_ps <= .own.step_time_ps, ([.order[][] | select(.paired_with_next)] | length > 0), ([.order[][].work] | unique), .play_over_search, .bound.by, .bound.pairs, .bound.step_time_ps <= .found.step_time_ps]' one
search --format=language -o found.ts; (echo 'import "found.ts"'; sed 's/schedule = dual_pipe.*/schedule = found(p: pp)/' deepseek_v3.ts) >lab.ts
[ "$(tsrun --format=json $plan lab.ts 2>/dev/null | jq .step_time_ps)" = "$(jq .found.step_time_ps one)" ] && echo "the same"
