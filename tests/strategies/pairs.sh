#!/usr/bin/env bash
# pairs.sh: each two strategies together on one plan, as a table: `+` where they compose, else the number of the reason, which is what the compiler says.
export LC_ALL=C
names=(tp sp tp_ring vocabulary ring gather ulysses ep ep_nodes etp ddp zero1 zero2 zero3 fsdp hsdp full selective second fp8 offload offload_optimizer
  update_on_host tied pipeline)

needs() { # the sizes of the axes a strategy is about
  case $1 in
    tp | sp | tp_ring | vocabulary) echo tp=2 ;;
    etp) echo tp=2 experts=8 ;;
    ring | gather | ulysses) echo cp=2 ;;
    ep) echo ep=2 experts=8 ;;
    ep_nodes) echo ep=2 r=2 experts=8 ;;
    hsdp) echo dp=2 r=2 ;;
    ddp | zero* | fsdp) echo dp=2 ;;
    pipeline) echo pp=2 ;;
  esac
}

alone() { [ "$1" != etp ] || [[ $2 = sp || $2 = tp_ring ]] || echo ', "sp"'; } # what it cannot be without, unless the other has it

reasons=()
reason() { # TEXT: its number, in $found
  local i
  for i in "${!reasons[@]}"; do [ "${reasons[$i]}" != "$1" ] || { found=$((i + 1)); return; }; done
  reasons+=("$1"); found=${#reasons[@]}
}

try() { # A B
  local options=() need
  for need in $(printf '%s\n' $(needs "$1") $(needs "$2") | sort -u); do options+=(-D "$need"); done
  found=+
  tsc --check -W no-unsummed-gradients -W no-redundant-work "${options[@]}" -D "use=[\"$1\", \"$2\"$(alone "$1" "$2")$(alone "$2" "$1")]" _plan.ts 2>"$scratch/said" && [ ! -s "$scratch/said" ] && return
  local said; said=$(head -1 "$scratch/said" | sed -E 's/layer\[[0-9]+\]\.//; s/`(dq?kv|kv|qkv)` of/a tensor of/')
  reason "$said"
}

printf '|'; for b in "${names[@]}"; do printf ' | %s' "$b"; done; echo ' |'
printf '|---'; for b in "${names[@]}"; do printf '|:-:'; done; echo '|'
declare -A verdict
for i in "${!names[@]}"; do
  for ((k = i + 1; k < ${#names[@]}; k++)); do
    try "${names[$i]}" "${names[$k]}"
    verdict[$i,$k]=$found; verdict[$k,$i]=$found
  done
done
for i in "${!names[@]}"; do
  row="| **${names[$i]}**"
  for k in "${!names[@]}"; do row+=" | ${verdict[$i,$k]:-}"; done
  echo "$row |"
done
echo
for i in "${!reasons[@]}"; do echo "$((i + 1)). ${reasons[$i]}"; done
