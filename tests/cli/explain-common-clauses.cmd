for change in '[]' '[no_activations]' '[no_gradients]' '[no_activations, no_gradients]' '[larger]'; do
  printf '%-32s' "$change"; tsrun --plan=common_clauses --allow-read=../../examples _common_clauses.ts -D "change=$change" | grep 'step time'
done
for change in '[]' '[no_activations, no_gradients]' '[larger]'; do tsc --explain 'F(2) at 1' --plan=common_clauses --allow-read=../../examples _common_clauses.ts -D "change=$change"; done
tsc --explain 'B(2) at 1' --plan=common_clauses --allow-read=../../examples _common_clauses.ts -D 'change=[no_gradients]'
