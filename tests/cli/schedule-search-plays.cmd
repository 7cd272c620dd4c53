# What is reported is what tsrun plays for the order that was written, in the language and as CSV, to the picosecond; stages keep their sizes.
costs='-D f=10us -D i=11us -D w=9us -D message=1us'
step() { sed -nE 's/.*"step_time_ps":[[:space:]]*"?([0-9]+).*/\1/p' "$1" | head -1; }
found() { grep -oE '"found": \{"step_time_ps": [0-9]+' "$1" | grep -oE '[0-9]+$'; }
same() { # NAME CALL COPIES COMMAND...
  local name=$1 call=$2 copies=$3; shift 3
  trainspec schedule --budget=1500 --memory=own --format=json "$@" >"$scratch/found.json" || return
  trainspec schedule --budget=1500 --memory=own --format=language -o "$scratch/found.ts" "$@" || return
  { echo 'import "found.ts"'; cat "${@: -1}"; } >"$scratch/plan.ts"
  set -- "${@:1:$#-1}"
  tsrun --format=json "$@" -D "schedule=$call" "$scratch/plan.ts" >"$scratch/played.json" || return
  if [ -z "$copies" ]; then # figures of a real model move with the data of std
    [ "$(found "$scratch/found.json")" = "$(step "$scratch/played.json")" ] && echo "$name: the same"
    return
  fi
  echo "$name: $(found "$scratch/found.json") ps, in the language $(step "$scratch/played.json")"
  cp "$scratch/plan.ts" "$scratch/csv.ts"
  trainspec schedule --budget=1500 --memory=own --format=csv -o "$scratch/found.csv" "$@" "$root/schedule_lab.ts" || return
  tsrun --format=json -I "$scratch" "$@" -D "schedule=from_csv(\"found.csv\", copies: $copies)" "$scratch/csv.ts" >"$scratch/played.json" || return
  echo "  as CSV $(step "$scratch/played.json")"
}
root=../../examples
for s in 'one_f_one_b(p: 4, m: 6)' 'zb_h1(p: 4, m: 8)' 'interleaved_one_f_one_b(p: 3, m: 6, v: 2)' 'zb_v(p: 4, m: 8)' 'v_min(p: 4, m: 8)' 'dual_pipe_v(p: 3, m: 6)'; do
  same "$s" "found(p: ${s:$(expr index "$s" :)+1:1})" 1 $costs -D "schedule=$s" $root/schedule_lab.ts
done
for s in 'dual_pipe(p: 4, m: 8)' 'chimera(p: 4, m: 8)'; do same "$s" 'found(p: 4)' 2 $costs -D "schedule=$s" $root/schedule_lab.ts; done
same 'zb_v on GPT' 'found(p: pp)' '' -D m=10 -D 'schedule=zb_v(p: pp, m: m, sizes: sizes(layers, 2 * pp))' $root/zero_bubble.ts
