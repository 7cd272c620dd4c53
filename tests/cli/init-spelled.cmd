# Names as others spell them: case, signs and owners do not matter.
cd "$scratch"
trainspec init --model meta-llama/Llama-3-8B --gpu H100 --gpus 8 --budget 4 -o plan.ts 2>&1 | cut -d: -f1; grep -o 'model: Model.*' plan.ts
# ... a gpu as `list gpus` has it, a release of the same sizes, a configuration, a machine of one's own.
sizes='"num_hidden_layers": 2, "hidden_size": 512, "intermediate_size": 1024, "num_attention_heads": 8, "num_key_value_heads": 8'
echo '{"model_type": "llama", '"$sizes"', "vocab_size": 1024, "max_position_embeddings": 512}' >config.json
printf 'import std.machines\nlet machine_mine: Machine = machine_h100 with { island = 4 }\n' >mine.ts
for m in 'meta-llama/Llama-3.1-8B-Instruct h100_sxm' 'config.json a100_sxm_40g' 'llama3_8b mine mine.ts'; do
  set -- $m; trainspec init --model "$1" --machine "$2" --gpus 8 --budget 4 -o plan.ts $3 2>&1 | cut -d: -f1; grep -o 'mode[l]: Model.*\|machin[e]: Machine.*' plan.ts
done
# ... a gpu alone, of which nothing says how it is joined.
printf 'gpu bare { memory = 96 GiB, bandwidth = 3 TB/s, peak = { fp32: 60 TFLOP/s, bf16: 700 TFLOP/s } }\n' >bare.ts
trainspec init --model llama3_8b --machine bare --gpus 16 --budget 4 -o plan.ts bare.ts 2>&1 | cut -d: -f1; grep 'nodes_of\|mode[l]: Model' plan.ts; tsc --check -W no-extrapolated plan.ts
# A budget: so many plans of each search, or so long; the same plans every time.
for budget in 20 20 100s; do trainspec init --model llama3_8b --gpu h100 --gpus 16 --budget $budget -o plan.ts 2>&1 | head -1 | sed 's/; the fastest.*//'; done
grep -o -- '--budget=[^`]*' plan.ts; trainspec init --model llama3_8b --gpu h100 --budget soon 2>&1 | head -1
# What the profile switches on is worth something, and what it does not is not named.
trainspec init --model llama3_8b --gpu h100 --gpus 16 -D 'framework=megatron_core with { tensor = "none" }' -D tp=2 -o plan.ts 2>/dev/null; sed -n '/switches on/,/search again/p' plan.ts | sed 's/:.*//'
trainspec init --model llama-3-71b --gpu h100 --gpus 8 2>&1

# Frameworks, spelled and unknown
trainspec init --model gpt2_small --gpu h100 --budget 4 --framework Megatron-Core 2>/dev/null | grep -o "framework: Framework = [a-z_]*"; trainspec init --model gpt2_small --gpu h100 --framework FSDP 2>&1 | head -1
