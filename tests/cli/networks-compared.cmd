tsrun --network all _networks.ts | sed -E 's| +[^ ]+ [mun]?s$| (time)|'
tsrun --network links,statistical --format json _networks.ts | jq -c '[.[] | .network, .step_time_ps > 0, .run_time_s > 0]'
tsrun --network links,nothing _networks.ts 2>&1; echo "exit $?"
tsrun --network all --format csv _networks.ts 2>&1 | head -2
