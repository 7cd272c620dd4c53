# What the README shows is what the programs print, where it does not say that lines are left out.
cd ../..
masked() { sed -E "s/(files of std, together) [0-9a-f]{8}/\1 DIGEST/"; } # which every change of the library changes
block() { awk -v first="$1" 'index($0, first) == 1 { on = 1 } /^```/ { on = 0 } on' README.md; }
block 'gpt3_175b: 1,024 ranks' | grep -vx '  \.\.\.' | masked >"$scratch/shown"; tsrun examples/gpt3_175b.ts | masked | grep -vE '^  stage ([1-9]|1[0-4]) ' >"$scratch/printed"; diff "$scratch/shown" "$scratch/printed" && echo same
block '$ trainspec sweep' | tail -n +2 >"$scratch/shown"; trainspec sweep --top 5 examples/degrees.ts >"$scratch/printed"; diff "$scratch/shown" "$scratch/printed" && echo same
