# Orders are played in pairs and with whole backwards, too; what is written plays as it was reported. A search that begins with the plan's own pairs is no longer than they are, for any number of threads.
cp ../../examples/deepseek_v3.ts "$scratch"; cd "$scratch"
plan='-D pp=4 -D dp=1 -D global=640'; search() { trainspec schedule --budget=300 --memory=200GiB $plan "$@" deepseek_v3.ts 2>/dev/null; }
search --fresh | grep -A1 '^Backwards' | sed 's/hides\. .* of the step/hides. SOME of the step/'
search --fresh --format=json -j1 >one; search --fresh --format=json -j3 | cmp - one; jq -c '[.played, .found.step_time_ps < .own.step_time_ps, ([.order[][] | select(.paired_with_next)] | length > 0), ([.order[][].work] | unique)]' one
search --fresh --format=language -o found.ts; (echo 'import "found.ts"'; sed 's/schedule = dual_pipe.*/schedule = found(p: pp)/' deepseek_v3.ts) >lab.ts
[ "$(tsrun --format=json $plan lab.ts 2>/dev/null | jq .step_time_ps)" = "$(jq .found.step_time_ps one)" ] && echo "the same"
search --format=json | jq -c '[.played, .found.step_time_ps <= .own.step_time_ps]'
