for place in op block model cluster strategy outside inside policy; do
  tsc --stdlib=../_std -o $scratch/plan.ir --plan=${place}_ type-let.ts && echo "$place: not checked"
done 2>&1 | grep -A4 -e ^error -e checked >&2; exit 1
