tsc -o "$scratch/1.ir" _plan.ts && trainspec compile -o "$scratch/2.ir" _plan.ts && cmp "$scratch/1.ir" "$scratch/2.ir" && echo same
