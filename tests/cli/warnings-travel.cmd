# Warnings of the compilation are in the IR and in its text, and in every format of the report; -W goes for an IR too.
tsc -o "$scratch/warned.ir" -D dp=2 _warned.ts 2>/dev/null; tsc -S -o "$scratch/warned.tsir" -D dp=2 _warned.ts 2>/dev/null
tsrun -D dp=2 _warned.ts >"$scratch/plan.txt" 2>"$scratch/plan.err"; cat "$scratch/plan.err"
cp "$scratch"/warned.* .; trap 'rm -f warned.ir warned.tsir' EXIT
for ir in warned.ir warned.tsir; do tsrun --sources $ir >"$scratch/ir.txt" 2>"$scratch/ir.err"; cmp "$scratch/plan.err" "$scratch/ir.err"; cmp "$scratch/plan.txt" "$scratch/ir.txt"; done
echo "== text"; sed -n '/^Warnings/,$p' "$scratch/plan.txt" | sed 's/[0-9a-f]\{8\}\(,\|$\)/DIGEST\1/g'
echo "== json"; tsrun --format=json warned.ir 2>/dev/null | jq -c '.warnings[] | [.code, .name, .file, .line, .column, .more], .message, .help'
tsrun --format=json warned.ir 2>/dev/null | jq -c '.cluster, [.inputs[] | select(.text) | [.name, .text]]'
echo "== html"; tsrun --format=html warned.ir 2>/dev/null | grep -o '<p><b>W[0-9]*</b>'
echo "== csv"; tsrun --format=csv warned.ir 2>/dev/null | tail -n 1 | grep -o '[^,]*$'
echo "== without its source"; cd "$scratch"; tsrun -W no-unused-rule warned.ir 2>&1 >one.txt; sed -n '/^Warnings/,/^$/p' one.txt; cd - >/dev/null
echo "== as errors"; tsrun -W error=unused-rule warned.ir 2>/dev/null; echo "exit $?"; tsrun -W error=unusedrule warned.ir; echo "exit $?"
