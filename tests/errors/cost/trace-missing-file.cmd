tsc -o $scratch/plan.ir trace-missing-file.ts
