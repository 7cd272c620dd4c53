# A program that needs more memory than it may use says what it was at, ends with 4 and leaves nothing behind; an evaluation that does, with its place.
tsc --max-memory=16MiB -o "$scratch/plan.ir" ../../examples/gpt3_175b.ts -D global=24576 2>&1; echo "exit $?"; ls "$scratch" | grep plan.ir
printf 'import "%s"\nlet long = len([[j for j in 0..1000] for i in 0..1000000])\nplan p { model = gpt(layers: long, hidden: 64, heads: 2, vocab: 128, seq: 16) }\n' std/models/gpt.ts >"$scratch/long.ts"
(cd "$scratch" && tsrun --max-memory=400MB long.ts 2>&1; echo "exit $?") | sed -E 's/long.ts:2:1[78]$/long.ts:2:IN THE LIST/; /^ *\| +\^+$/d' # of the inner list or its element
tsc --max-memory=1KiB ../../examples/my_schedule.ts 2>&1; echo "exit $?"
tsc --max-memory=much ../../examples/my_schedule.ts 2>&1; echo "exit $?"
