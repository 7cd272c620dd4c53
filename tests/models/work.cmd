# However a model is laid over ranks, all of them together execute the FLOP of one rank alone: for each FLOP of the model as many as there. All gradients are summed.
work() { tsrun --ignore-memory --format=json "$@" _plan.ts 2>"$scratch/said" | awk -F'[:,]' '/"mfu"/ && !m { m = $2 } /"hfu"/ { printf "%.6f", $2 / m; exit }'; grep -o 'W0323' "$scratch/said"; }
for model in 'gpt2_medium(vocab: 50304)' 'bert_large()' 't5_large()' 'llama3_8b()' 'gemma2_2b()' 'gemma3_4b()' 'gpt_oss_20b()' 'qwen3_30b_a3b()' 'nemotron3_nano()'; do
  one=$(work -D "model=$model")
  line="$model: $one a FLOP;"
  for how in dp=2 tp=2 tp=2,sequence=true cp=2 cp=4 cp=2,heads=true pp=2 ep=4; do
    # shellcheck disable=SC2086
    got=$(work -D "model=$model" -D ${how/,/ -D })
    if [ -z "$got" ]; then line+=" $how refused"; elif [ "$got" = "$one" ]; then line+=" $how"; else line+=" $how $got"; fi
  done
  echo "$line"
done
