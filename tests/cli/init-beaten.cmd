# Long. No way out of a lack of memory beats what init writes: plans by hand of a dozen jobs, too large as they are, whose ways out under the same
# profile are held against init's step. What leaves less room than init asks for (5 %) does not count, nor does 1 %: `zero1` by hand gathers in one call.
here=$PWD; cd "$scratch"
number() { grep -oE "\"$1\":[[:space:]]*[0-9]+" "$2" | head -1 | grep -oE '[0-9]+$'; }
job() { # MODEL MACHINE GPUS
  trainspec init --model "$1" --gpu $2 --gpus $3 -o plan.ts 2>/dev/null || { echo "$1: init found none"; return; }
  tsrun --format=json plan.ts >init.json 2>/dev/null
  local model=$(sed -n 's/^  model: Model = \(.*\),$/\1/p' plan.ts) large=0 at; : >offered
  for at in "1 1 1" "2 1 1" "2 1 2" "4 2 1" "8 1 2"; do
    set -- "$1" $2 $3 $at
    tsrun --format=json -D "model=$model" -D machine=machine_$2 -D gpus=$3 -D tp=$4 -D pp=$5 -D micro=$6 "$here/_hand.ts" >hand.json 2>/dev/null
    grep -q '"out_of_memory":[[:space:]]*true' hand.json || continue
    large=$((large + 1)); room=$(number device_memory_bytes hand.json)
    sed -n '/"ways_out"/,/"warnings"/p' hand.json | awk -v room=$room '/"step_time_ps"/ { gsub(/[^0-9]/, ""); step = $0 }
      /"peak_memory_bytes"/ { gsub(/[^0-9]/, ""); if ($0 <= 0.95 * room) print step }' >>offered
  done
  echo "$1 on $3 $2: $(sort -n offered | awk -v own=$(number step_time_ps init.json) -v large=$large 'NR == 1 { least = $1 }
    END { print (large ? "some" : "none") " too large, " (NR ? (least < 0.99 * own ? "beaten by " 100 * (1 - least / own) " %" : "not beaten") : "no way out") }')"
}
job llama3_8b h100 8; job llama3_70b h100 64; job llama3_8b a100 16; job llama2_13b a100 16; job llama2_70b h200 32; job llama3_8b l40s 32
job llama3_405b gb200 256; job llama2_13b a100_40g 32; job qwen3_32b h100 16; job llama3_8b mi300x 4; job qwen3_14b b200 4; job gpt3_175b h200 64
