tsc -MD -MF "$scratch/plan.d" -o "$scratch/plan.ir" -D dp=4 _plan.ts && sed "s:$scratch:SCRATCH:" "$scratch/plan.d"
