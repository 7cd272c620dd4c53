tsc -S _two_hosts.ts | sed -n 's/^  optimizer: compute copy\(.*\) phase.*alloc \([0-9]* KiB\).*at \(.*ts\) .* rule.*/copy\1, \2, by \3/p'
