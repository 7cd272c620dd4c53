tsc -o "$scratch/plan.ir" name-not-imported.ts
