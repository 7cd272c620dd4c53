# Messages fit the terminal: source lines are cut around what is marked, text breaks between words, labels hang where they would not fit beside their marks.
command -v script >/dev/null || { sed '$d' terminal-width.out; exit; }
sed 's/std.schedules.one_f_one_b/std.schedules.interleaved/; s/one_f_one_b(p: pp, m: global \/ dp \/ micro)/interleaved_one_f_one_b(p: pp, m: 50, v: 2)/' ../../examples/gpt3_175b.ts >"$scratch/plan.ts"; cd "$scratch"
for columns in 60 80 200; do
  echo "== $columns"; script -qec "stty cols $columns; tsc --check --color=never plan.ts; tsc --check --color=never -D tp=6 plan.ts" /dev/null </dev/null | tr -d '\r' | tee shown
  awk -v most=$columns 'length > most { print "too wide: " $0 }' shown
done
