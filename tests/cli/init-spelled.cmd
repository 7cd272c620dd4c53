# Names as others spell them: case, signs and owners do not matter.
cd "$scratch"
trainspec init --model meta-llama/Llama-3-8B --gpu H100 --gpus 8 -o plan.ts 2>&1 | cut -d: -f1; grep -o 'model: Model.*' plan.ts
trainspec init --model llama-3-71b --gpu h100 --gpus 8 2>&1
