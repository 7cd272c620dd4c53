#!/bin/sh
# Makes the fits that ship (stdlib/fits/) out of the tables of ops/: those whose names are given, or all. The same tables give the same bytes.
# usage: tools/fits.sh TRAINSPEC OPS OUT [NAME...]
set -eu
export LC_ALL=C
[ "$#" -ge 3 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
tools=$(dirname "$0") trainspec=$1 ops=$2 out=$3
shift 3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wanted="$* "

# fit NAME DEVICE UNITS ARGUMENT...
fit() {
  name=$1 device=$2 units=$3
  shift 3
  case "$wanted" in " " | *"$name "*) ;; *) return 0 ;; esac
  "$trainspec" fit ops "$@" --device "$device" --units "$units" -o "$out/$name.fit.json"
}

# plain DEVICE UNITS LIBRARY: the tables of vLLM, and of another library where there is one.
plain() {
  fit "$1" "$1" "$2" "$ops/gemm_$1.csv.gz" "$ops/attention_$1.csv.gz" "$ops/gemm_$1_$3.csv.gz" --dtype bf16 --also fp16
}

# alone DEVICE UNITS: where there is none of vLLM.
alone() {
  fit "$1" "$1" "$2" "$ops/gemm_$1_trtllm.csv.gz" "$ops/attention_$1_trtllm.csv.gz" --dtype bf16 --also fp16
}

# experts DEVICE UNITS LIBRARY GB_PER_S
experts() {
  table="$scratch/moe_$1_$3.experts.csv"
  "$tools/experts_table.sh" --bandwidth "$4" "$ops/moe_$1_$3.csv.gz" >"$table"
  fit "$1_experts" "$1" "$2" "$table" --family grouped_gemm --model gemm
}

# latent DEVICE UNITS
latent() {
  table="$scratch/mla_$1_trtllm.latent.csv"
  "$tools/latent_table.sh" "$ops/mla_$1_trtllm.csv.gz" >"$table"
  fit "$1_latent" "$1" "$2" "$table" --model attention_apart
}

# elementwise DEVICE GPU: GPU as in the names of traced tables.
elementwise() {
  table="$scratch/$1_elementwise.csv"
  "$tools/elementwise_table.sh" "$ops"/optable_"$2"_*.csv.gz >"$table"
  fit "$1_elementwise" "$1" 1 "$table" --model stream --keep 0.6
}

plain a100_sxm 108 sglang
plain b200_sxm 148 trtllm
plain gb200 152 trtllm
plain h100_sxm 132 trtllm
plain h200_sxm 132 trtllm
alone b300_sxm 148
alone gb300 152
alone l40s 142
experts a100_sxm 108 sglang 2039
experts b200_sxm 148 trtllm 8000
experts b300_sxm 148 trtllm 8000
experts gb200 152 trtllm 8000
experts h100_sxm 132 trtllm 3350
experts h200_sxm 132 trtllm 4800
latent a100_sxm 108
latent b200_sxm 148
latent gb200 152
latent h100_sxm 132
latent h200_sxm 132
elementwise a100_pcie NVIDIA_A100_80GB_PCIe
elementwise h100_sxm NVIDIA_H100_80GB_HBM3
elementwise l4 NVIDIA_L4
elementwise v100_pcie Tesla_V100-PCIE-32GB
