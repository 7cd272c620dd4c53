# Before a long play, or one that needs much memory: what it takes. Figures are those of a machine. Messages for programs are left alone, and so is who wants no hints.
plan=../../examples/large.ts
notes() { grep -E 'note: simulating|= note: it asks|= help: allow' | sed -E 's/[0-9][0-9.]*( G?B| s)/N\1/g; s/e-[0-9]+//g'; }
tsrun -D dp=131072 --max-memory=170MB $plan 2>&1 | notes
tsrun -D dp=131072 --max-memory=230MB --no-fold $plan 2>&1 | notes
tsrun -D dp=131072 --max-memory=400MB $plan 2>&1 | notes
tsrun -D dp=131072 --max-memory=170MB --diagnostics=json $plan 2>&1 | notes
TRAINSPEC_HINTS=0 tsrun -D dp=131072 --max-memory=170MB $plan 2>&1 | notes
tsrun -D dp=8 $plan 2>&1 | notes
