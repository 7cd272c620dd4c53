tsc -o $scratch/plan.ir trace-other-table.ts
