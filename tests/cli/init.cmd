# Long. What is written is laid out, compiles without a message about the plan, fits, and is the best of its own search; models of experts, of layers,
# of images, one's own. Nothing is written when nothing fits.
cp _small.ts "$scratch"; here=$PWD; cd "$scratch"
try() { # MODEL GPU GPUS [ARGUMENT]...
  local model=$1; trainspec init --model "$1" --gpu "$2" --gpus "$3" -o plan.ts "${@:4}" 2>said || { cat said; return; }
  tsfmt plan.ts | cmp - plan.ts; tsc --check -W no-extrapolated plan.ts 2>&1 | grep -E 'error|^warning'
  tsrun plan.ts 2>/dev/null | sed -n 's/^  step time *\([0-9.]* m*s\).*/\1/p' >run; trainspec sweep --top 1 plan.ts 2>/dev/null | sed -n 's/^The best takes \([0-9.]* m*s\).*/\1/p' >best
  cmp run best; grep -q "^// $(cat run) a step" plan.ts || echo "written above another plan than $(cat run)"
  echo "$model: $(grep -E '^  (machine|gpus|global)' plan.ts | tr -s ' \n' ' ')$(grep -oE '^  (tp|ep|pp|micro): Int' plan.ts | tr -s ' \n' ' ')"
}
try mixtral_8x7b h100 16; try gpt2_xl a100 8 -D global=32; try resnet50 h100 8; try 'small(4)' h100 12 _small.ts
# A vocabulary that ranks share; stages that 16, 32 ... are not: 2,240 GPUs held MT-NLG 530B in 35 (arXiv 2201.11990).
try mt_nlg_530b a100 2240 -D cp=1 -D micro=1 -D v=1; grep -n padded_vocab plan.ts
# What was asked for is not varied.
try 'llama3_8b(2048)' h100 16 -D tp=8 -D recompute=full; grep 'vary tp\|tp: Int\|recompute = \|recompute: \|vary recompute' plan.ts
trainspec init --model llama3_8b --gpu h100 -D recompute=fulll -o none.ts 2>&1 | head -1; trainspec init --model resnet50 --gpu h100 -D tp=2 -o none.ts
# Routers ask for tf32, which these devices do not have: they compute it at a rate that they state.
try mixtral_8x7b mi350x 16; try mixtral_8x7b gaudi2 16; try mixtral_8x7b v5p 16
# What was refused is told beside what does not fit.
trainspec init --model mixtral_8x22b --gpu v5e --gpus 16 -o none.ts 2>&1
trainspec init --model gpt3_175b --gpu h100 --gpus 8 -o none.ts; echo "exit $?"; ls none.ts 2>&1
trainspec init --model lama3_8b --gpu h100; trainspec init --model gpt --gpu h100; trainspec init --model gpt2_xl --gpu h101; trainspec init --gpu h100
trainspec init --model 'gpt2_xl(sec: 3)' --gpu h100 2>&1 | head -2; trainspec init --model 'gpt2_xl(' --gpu h100 2>&1 | head -2; trainspec init --model gpt2_xl --gpu h100 -D globl=3
