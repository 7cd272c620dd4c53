# All parameters of 2 bytes, 129.3 million of them, once for each micro-batch; before the backward those of ops that pass a gradient on, too.
for m in 1 3; do tsrun -D "m=$m" _broadcast.ts 2>/dev/null | grep -E 'parameters$|^  dp '; done; tsrun -D again=true _broadcast.ts 2>/dev/null | grep -E '^  dp '
