# The same bytes from one thread and from four, folded or not but for what was played.
play() { tsrun --format=json --ignore-memory -D global=64 "$@" ../../examples/gpt3_175b.ts; }
play --no-fold --threads 1 >"$scratch/one.json"; play --no-fold --threads 4 | cmp - "$scratch/one.json" && echo same; play | grep step_time_ps >"$scratch/fold"; grep step_time_ps "$scratch/one.json" | cmp - "$scratch/fold" && echo folded too; tsrun --threads 0 x.ir 2>&1; echo "exit $?"
