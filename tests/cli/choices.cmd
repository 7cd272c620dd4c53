# What the profile of a framework saves, choice by choice; of a plan alone, as an IR has no profile any more.
trainspec init --model 'llama3_8b(2048)' --gpu h100 --gpus 8 -D tp=2 -o "$scratch/p.ts" 2>/dev/null
tsrun --choices "$scratch/p.ts" | sed -n '/^Step without/,/^$/p'
tsrun --choices --format=json "$scratch/p.ts" | grep -A12 '"choices"' | grep -c step_time_without_ps
tsrun --choices -D 'framework=megatron_lm with { overlap = false, attention = "flash2", tensor = "none" }' "$scratch/p.ts" | sed -n '/^Step without/,/^$/p'
sed 's/framework = framework$/framework = { name: "Mine" }/; s/framework: Framework = megatron_lm/framework: Framework = starting()/; s/^plan /fn starting() = megatron_lm\nplan /' "$scratch/p.ts" >"$scratch/named.ts"; tsrun --choices "$scratch/named.ts" 2>&1 | sed -n '/^Step without/,/^$/p'
tsc "$scratch/p.ts" -o "$scratch/p.ir"; cd "$scratch"; tsrun --choices p.ir 2>&1; echo "exit $?"
