echo old >"$scratch/old.ir" && tsc -D layers=two -o "$scratch/old.ir" _plan.ts; cat "$scratch/old.ir"; ls "$scratch" | grep -c "old.ir."
