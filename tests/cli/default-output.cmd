d=$PWD && mkdir -p "$scratch/default" && cd "$scratch/default" && tsc "$d/_plan.ts" && ls -A
