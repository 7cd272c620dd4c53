mkdir -p "$scratch/inc" "$scratch/main" && cp _sizes.ts _ops.csv "$scratch/inc" && cp _plan.ts "$scratch/main" && cd "$scratch" && tsc --check -I inc main/_plan.ts && echo found
