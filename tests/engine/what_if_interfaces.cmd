tsrun --what-if 'nic.bandwidth*2' --format=json ../../examples/gpt3_175b.ts 2>/dev/null | sed -n '/"what_if"/,/}/p'; tsrun --what-if 'nic.bandwidth*2' what_if.tsir 2>&1; echo "exit $?"
for change in 'nic=50GB/s' 'nic.bandwidth = 400 Gb/s' 'nic.latency=1us' 'tier1*2'; do tsrun --what-if "$change" --format=json ../../examples/gpt3_175b.ts 2>/dev/null | sed -n '/"what_if"/,/}/p'; done
