# Inputs read from a memory elsewhere: an image batch of 32 x 3 x 224 x 224 fp32 takes 19,267,584 B over the link, exposed as each micro-batch begins: the step grows by 2 of them, exactly.
step() { tsrun --plan remote --format csv "$@" _remote.ts 2>/dev/null | awk -F, 'NR == 2 { print $6 }'; }
plain=$(step); for rate in 696 10; do echo "$rate GB/s: $(($(step -D "more=remote_inputs(link: $rate GB/s)") - plain)) ps, 2 x 19267584 B are $((2 * 19267584 * 1000 / rate)) ps"; done
tsc --plan remote -S -D 'more=remote_inputs()' _remote.ts 2>/dev/null | grep -e 'stream "from the host"' -e 'compute copy on'
# Words are read where the first stage begins; a stage that reads none has no copy, and memory is the same.
tsc --plan words -S -D 'more=remote_inputs(link: 1 GB/s)' _remote.ts 2>/dev/null | grep -e 'compute copy on'
for more in none 'remote_inputs()'; do tsrun --plan words --format json -D "more=$more" _remote.ts 2>/dev/null | jq .peak_memory_bytes; done
for bad in 'link: 0 GB/s' 'ahead: -1'; do tsc --plan remote -o no.ir -D "more=remote_inputs($bad)" _remote.ts 2>&1 | head -1; done
tsc --plan remote -o no.ir -D 'more=remote_inputs() with { rule inputs { match *
offload(inputs, at: 1 GB/s, updates: 1 GB/s) } }' _remote.ts 2>&1 | grep -m2 -e '^error' -e '\^'
