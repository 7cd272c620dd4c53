# The whole report of doc/reports.md and a picture of the manual are what the programs print; docs.cmd runs the README's commands.
cd ../..
# Every change of the library changes its digest; what std.errors says of intervals changes with every new table.
masked() { sed -E 's/(files of std, together) [0-9a-f]{8}/\1 DIGEST/; s/\(80 %: [^)]*\)/(80 %)/; /^How sure/,/^$/d'; }
# The last block from the line that begins so.
block() { awk -v first="$1" 'index($0, first) == 1 { on = 1; text = "" } /^```/ { on = 0 } on { text = text $0 "\n" } END { printf "%s", text }' doc/reports.md; }
block 'gpt3_175b: 1,024 ranks' | grep -vx '  \.\.\.' | masked >"$scratch/shown"; tsrun examples/gpt3_175b.ts | masked >"$scratch/printed"; diff "$scratch/shown" "$scratch/printed" && echo same
tsrun examples/schedule_lab.ts -D 'schedule=zb_v(p: 4, m: 8)' --format=svg | cmp - doc/pictures/zb_v.svg && echo same
