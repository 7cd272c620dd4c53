# As the README has it, for each example: what a plan is compiled to is played by itself.
cd ../../examples
for plan in *.ts; do
  case $plan in extern_cost.ts) continue ;; esac # its library is built by hand
  tsc $plan -o "$scratch/plan.ir" 2>"$scratch/said" && tsrun "$scratch/plan.ir" >"$scratch/report" 2>"$scratch/said" && grep -q 'step time' "$scratch/report" ||
    echo "$plan: exit $?, $(grep -m1 error "$scratch/said")"
done
