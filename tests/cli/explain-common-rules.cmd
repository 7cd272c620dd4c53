for change in '[]' '[no_activations]' '[no_gradients]' '[no_activations, no_gradients]' '[larger]'; do
  printf '%-32s' "$change"; tsrun --plan=common_rules --allow-read=../../examples _common_rules.ts -D "change=$change" | grep 'step time'
done
for change in '[]' '[no_activations, no_gradients]' '[larger]'; do tsc --explain 'F(2) at 1' --plan=common_rules --allow-read=../../examples _common_rules.ts -D "change=$change"; done
tsc --explain 'B(2) at 1' --plan=common_rules --allow-read=../../examples _common_rules.ts -D 'change=[no_gradients]'
