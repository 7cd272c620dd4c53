tsc -o $scratch/plan.ir ../cli
