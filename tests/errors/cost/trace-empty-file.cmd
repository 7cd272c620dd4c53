tsc -o $scratch/plan.ir trace-empty-file.ts
