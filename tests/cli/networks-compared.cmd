tsrun --network all _networks.ts | sed -E 's| +[^ ]+ [mun]?s$| (time)|'
tsrun --network links,statistical --format json _networks.ts | jq -c '[.[] | .network, .step_time_ps > 0, .run_time_s > 0]'
for n in all links,statistical; do echo "warnings, $n:"; tsrun --network $n _networks.ts 2>&1 >/dev/null; done
tsrun --network links,nothing _networks.ts 2>&1; echo "exit $?"
tsrun --network all --format csv _networks.ts 2>&1 | head -2
