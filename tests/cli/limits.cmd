# Just below a limit, and just above (doc/limits.md).
for given in dp=8388608 dp=8388609 switches=1000000 switches=33554432 m=1000; do echo "$given: $(tsc --check -D $given _limits.ts 2>&1 | grep -E '^error' || echo fine)"; done
