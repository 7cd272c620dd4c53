tsc -S - <_plan.ts >"$scratch/a" && tsc -S _plan.ts >"$scratch/b" && grep -c "^source" "$scratch/a" && grep "^source .*stdin" "$scratch/a" | cut -d" " -f1-4
