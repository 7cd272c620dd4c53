# A thousand million micro-batches are refused at once, in no more memory than a small plan takes (sanitizers reserve terabytes).
(grep -q fsanitize "$(dirname "$(command -v tsrun)")/Makefile" || ulimit -v 400000; tsrun -D m=1000000000 -o "$scratch/report" ../../../examples/large.ts; echo "exit $?"; [ -e "$scratch/report" ])
