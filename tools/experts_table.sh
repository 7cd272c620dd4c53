#!/bin/sh
# Grouped matrix products out of tables of fused expert layers (columns dtype, tokens, hidden, inter, topk, experts, tp, ep, distribution, kernel, time_us),
# as a table for `trainspec fit ops --family grouped_gemm --model gemm`: `count` experts, m rows each. Only balanced rows of gated layers, cut over at most 4 ranks,
# and 64 tokens and more for each expert count: others meet kernels for decoding. A rank of `ep` has its share of experts, and of the tokens' copies;
# with --whole only rows of one rank count, for libraries that do otherwise (SGLang on A100). Layers of Nemotron (top 22 of 512, 6 of 128) are not gated. From the time of a layer comes off what its sorting,
# activation and summing move, at --bandwidth (GB/s); the rest belongs to its two products by their work. A row stands for one of the two, first and second
# in turn, so that no measurement is both kept and compared with. fp8 is that with one scale for a tensor.
# usage: tools/experts_table.sh --bandwidth N [--whole] TABLE.csv.gz > experts.csv
set -eu
export LC_ALL=C
whole=0
[ "${3:-}" != --whole ] || { whole=1; set -- "$1" "$2" "$4"; }
[ "$#" = 3 ] && [ "$1" = --bandwidth ] || { sed -n '2,9s/^# //p' "$0" >&2; exit 2; }
printf '# source: %s sha256 %s\n' "$(basename "$3")" "$(sha256sum <"$3" | cut -d' ' -f1)"
echo 'family,dtype,count,m,n,k,time_us'
gzip -dc "$3" | awk -F, -v bandwidth="$2" -v whole=$whole '
  NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
  $at["distribution"] != "balanced" || $at["tp"] > 4 || (whole && $at["ep"] != 1) || (at["kernel"] && $at["kernel"] ~ /nongated/) { next }
  $at["topk"] == 22 || ($at["topk"] == 6 && $at["hidden"] == 2688) { next }
  {
    rows = $at["tokens"] * $at["topk"] / $at["ep"]; h = $at["hidden"]; f = $at["inter"] / $at["tp"]; e = $at["experts"] / $at["ep"]
    dtype = $at["dtype"]
    if (dtype !~ /^(bfloat16|fp8|fp8_block|nvfp4)$/ || rows % e || e != int(e) || f != int(f) || rows / e < 64) next
    products = $at["time_us"] - 2 * rows * (4 * h + 3 * f) / bandwidth / 1e3
    if (products <= 0) next
    if (++n % 2) printf "grouped_gemm,%s,%d,%d,%d,%d,%.3f\n", dtype, e, rows / e, 2 * f, h, products * 2 / 3
    else printf "grouped_gemm,%s,%d,%d,%d,%d,%.3f\n", dtype, e, rows / e, h, f, products / 3
  }'
