tsc -o $scratch/plan.ir no_such_plan.ts
