tsc -o $scratch/plan.ir ../errors
