# The timeline in a terminal's letters.
export LC_ALL=C.UTF-8
draw() { echo "== $*"; tsrun --format=timeline "$@" ../../examples/schedule_lab.ts 2>&1; echo "exit $?"; }
draw
draw --from 100us --to 150us
LC_ALL=C draw
draw --color=always | sed 's/\x1b\[/<ESC>[/g' | tail -4 | cut -c1-300
draw --ranks=0,3
draw --ranks=0-9; draw --from 1s; draw --from 2us --to 1us; draw --from 5; tsrun --from 1us ../../examples/schedule_lab.ts 2>&1 | head -1; tsrun --ranks 0 ../../examples/schedule_lab.ts 2>&1 | head -1
# More stages than rows, chunks, and a file.
tsrun --format=timeline --ignore-memory -D pp=48 -o "$scratch/t" ../../examples/gpt3_175b.ts 2>/dev/null; sed -n '1,5p;$p' "$scratch/t"; wc -l <"$scratch/t"
tsrun --format=timeline --ignore-memory _crowded.ts 2>/dev/null
# An empty step
printf 'axis x 2\n' >"$scratch/none.tsir"; tsrun --format=timeline "$scratch/none.tsir"
# Parts of traces and pictures
cd "$scratch"; for level in items kernels all; do tsrun --trace=t.json --level=$level --from 10us --to 40us -o /dev/null "$OLDPWD/../../examples/schedule_lab.ts"; jq -c '[.traceEvents[] | select(.ph == "X")] | [length, (map(.cat) | unique | join(" ")), (map(.ts) | min), (map(.ts) | max)]' t.json; done
for level in items kernels; do tsrun --format=svg --level=$level --from 10us --to 40us -o t.svg "$OLDPWD/../../examples/schedule_lab.ts"; grep -o '<title>[^<]*' t.svg | sed -n '2,6p'; done
