cp -r ../../stdlib "$scratch/std" && tsc -MD -MF "$scratch/plan.d" --stdlib="$scratch/std" -o "$scratch/plan.ir" _plan.ts && grep -c "std/" "$scratch/plan.d"
