#!/bin/sh
# The core of multi-head latent attention out of a table without its widths (columns phase, dtype, batch, seq, heads, causal, time_us), as a table for
# `trainspec fit ops --model attention_apart`: every head has keys of its own of 128 + 64 elements and values of 128 (DeepSeek-V3, arXiv 2412.19437, section 4.2).
# usage: tools/latent_table.sh TABLE.csv.gz > latent.csv
set -eu
export LC_ALL=C
[ "$#" = 1 ] || { sed -n '2,4s/^# //p' "$0" >&2; exit 2; }
printf '# source: %s sha256 %s\n' "$(basename "$1")" "$(sha256sum <"$1" | cut -d' ' -f1)"
echo 'family,dtype,batch,seq,keys,heads,kv_heads,head_dim,v_dim,time_us'
gzip -dc "$1" | awk -F, '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  $at["phase"] == "prefill" && $at["causal"] == 1 {
    printf "attention,%s,%d,%d,%d,%d,%d,192,128,%s\n", $at["dtype"], $at["batch"], $at["seq"], $at["seq"], $at["heads"], $at["heads"], $at["time_us"]
  }'
