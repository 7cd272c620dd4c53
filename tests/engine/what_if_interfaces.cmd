tsrun --what-if 'nic.bandwidth*2' --format=json ../../examples/gpt3_175b.ts 2>/dev/null | sed -n '/"what_if"/,/}/p'; tsrun --what-if 'nic.bandwidth*2' what_if.tsir
