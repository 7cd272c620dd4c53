d=$PWD && cd "$scratch" && mkdir -p empty && cd empty && tsc --check "$d/_plan.ts" && ls -A
