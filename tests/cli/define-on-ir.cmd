tsc -o "$scratch/plan.ir" _plan.ts; cd "$scratch"; tsrun -D layers=3 plan.ir 2>&1; echo "exit $?"; tsc -S plan.ir >plan.tsir; tsc -D dp=1 -S plan.tsir 2>&1
