#!/usr/bin/env bash
# refused.sh FILE: arguments that a model or an op of the library cannot take. A line is `model EXPR`, or `op SHAPE EXPR` of a tensor `x` of this shape;
# behind it stands what is said of it. A line that compiles is marked `accepted`: then the exit code is 1.
export LC_ALL=C
status=0
cp _*.csv "$scratch"
plan() { # what `model` of the plan is, and what goes before
  cat <<END
import std.models.gpt, std.models.llama, std.models.llama_eager, std.models.qwen3, std.models.gemma, std.models.t5, std.models.bert, std.models.vit, std.models.clip
import std.models.llama_moe, std.models.mixtral, std.models.llama4, std.models.deepseek, std.models.vgg, std.models.resnet, std.models.densenet, std.ops.eager
import std.ops.nn, std.ops.moe, std.ops.latent, std.clusters.dgx, std.models.decoder
$2
plan refused {
  model = $1
  cluster = dgx_h100(nodes: 1)
  costs = [roofline(h100_sxm)]
}
END
}
while read -r kind rest; do
  case $kind in
    model) plan "$rest" >"$scratch/refused.ts" ;;
    op)
      read -r shape call <<<"$rest"
      plan 'one()' "model one() {
  x = input($shape, bf16)
  y = $call as it
}" >"$scratch/refused.ts" ;;
    *) continue ;;
  esac
  if tsc --check "$scratch/refused.ts" 2>"$scratch/said"; then
    said='accepted'; status=1
  else
    said=$(sed -nE '1s/^error\[(E[0-9]+)\]: (.*)/\1 \2/p' "$scratch/said")
    here=$(sed -nE '/\^\^/{s/.*\^+ ?//p;q}' "$scratch/said")
    said="$said: $here"
  fi
  printf '%s\n    %s\n' "$kind $rest" "$said"
done <"$1"
exit $status
