# The README's whole report and its sweep are what the programs print; docs.cmd runs its other commands.
cd ../..
# Every change of the library changes its digest; what std.errors says of intervals changes with every new table.
masked() { sed -E 's/(files of std, together) [0-9a-f]{8}/\1 DIGEST/; s/\(80 %: [^)]*\)/(80 %)/; /^How sure/,/^$/d' | sed -zE 's/\n\nThe best takes[^\n]*(\n  [a-z][^\n]*)*//g'; }
# The last block from the line that begins so: the whole report stands after an excerpt of it.
block() { awk -v first="$1" 'index($0, first) == 1 { on = 1; text = "" } /^```/ { on = 0 } on { text = text $0 "\n" } END { printf "%s", text }' README.md; }
block 'gpt3_175b: 1,024 ranks' | grep -vx '  \.\.\.' | masked >"$scratch/shown"; tsrun examples/gpt3_175b.ts | masked | grep -vE '^  stage ([1-9]|1[0-4]) ' >"$scratch/printed"; diff "$scratch/shown" "$scratch/printed" && echo same
block '$ trainspec sweep' | tail -n +2 | masked >"$scratch/shown"; trainspec sweep --top 5 examples/degrees.ts | masked >"$scratch/printed"; diff "$scratch/shown" "$scratch/printed" && echo same
tsrun examples/schedule_lab.ts -D 'schedule=zb_v(p: 4, m: 8)' --format=svg | cmp - doc/pictures/zb_v.svg && echo same
