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

# cool DEVICE UNITS: the same, where the board slowed down under the products of vLLM's table (GB200: those of 0.2 to 0.7 ms run at 1,770
# TFLOP/s in the median, those beyond 1.5 ms at 1,130; no other table has more than a tenth between them): a table of bursts is wanted.
cool() {
  fit "$1" "$1" "$2" "$ops/gemm_$1_trtllm.csv.gz" "$ops/attention_$1.csv.gz" --dtype bf16 --also fp16
}

# experts DEVICE UNITS GB_PER_S LIBRARY...: what one library has not, the next has.
experts() {
  device=$1 units=$2 rate=$3
  shift 3
  for library in "$@"; do
    "$tools/experts_table.sh" --bandwidth "$rate" ${whole:+--whole} "$ops/moe_${device}_$library.csv.gz" >"$scratch/$device.$library.experts.csv"
  done
  fit "${device}_experts" "$device" "$units" "$scratch/$device".*.experts.csv --family grouped_gemm --model gemm --keep 0.4
}

# narrow DEVICE UNITS FORMAT LIBRARY [OPTION...]: products of 8 bits and fewer, timed with the cast of their input.
narrow() {
  device=$1 units=$2 format=$3 library=$4
  shift 4
  fit "${device}_$format" "$device" "$units" "$ops/gemm_${device}_$library.csv.gz" --dtype "$format" --model gemm_cast --family gemm --keep 0.05 "$@"
}

# latent DEVICE UNITS
latent() {
  table="$scratch/mla_$1_trtllm.latent.csv"
  "$tools/latent_table.sh" "$ops/mla_$1_trtllm.csv.gz" >"$table"
  fit "$1_latent" "$1" "$2" "$table" --model attention_apart
}

# full DEVICE UNITS TABLE KEEP: linear layers in fp32, one call at a time.
full() {
  table="$scratch/$1_fp32.csv"
  zcat "$ops/neusight_linear_$3.csv.gz" |
    awk -F, -v OFS=, 'NR == 1 { print "dtype,m,n,k,time_us" } NR > 1 { print $1, $2 * $3, $4, $5, $7 }' >"$table"
  fit "$1_fp32" "$1" "$2" "$table" --keep "$4"
}

# convolutions DEVICE UNITS TABLE: by cuDNN in fp32, as the products that they are.
convolutions() {
  table="$scratch/$1_conv.csv"
  zcat "$ops/neusight_conv_$3.csv.gz" |
    awk -F, -v OFS=, 'NR == 1 { print "dtype,m,n,k,time_us" }
      NR > 1 { side = int(($6 + 2 * $8 - $5) / $7) + 1; print $1, $2 * side * side, $4, $3 * $5 * $5, $10 }' >"$table"
  fit "$1_conv_fp32" "$1" "$2" "$table" --family conv --model gemm --keep 0.1
}

# elementwise DEVICE GPU: GPU as in the names of traced tables.
elementwise() {
  table="$scratch/$1_elementwise.csv"
  "$tools/elementwise_table.sh" "$ops"/optable_"$2"_*.csv.gz >"$table"
  fit "$1_elementwise" "$1" 1 "$table" --model stream --keep 0.6
}

# casts DEVICE: from 16 to 8 bits with a scale that is known, by vLLM's kernel.
casts() {
  table="$scratch/$1_cast.csv"
  {
    printf '# source: quantize_aic.csv.gz sha256 %s\n' "$(sha256sum <"$ops/quantize_aic.csv.gz" | cut -d' ' -f1)"
    zcat "$ops/quantize_aic.csv.gz" | awk -F, -v OFS=, -v gpu="$1" 'NR == 1 { print "family,dtype,bytes,time_us" }
      $1 == gpu && $2 == "vllm" && $3 == "scale_matrix" { print "cast,bf16", 3 * $5 * $6, $7 }'
  } >"$table"
  fit "$1_cast" "$1" 1 "$table" --model stream --keep 0.3
}

# scans DEVICE: Mamba-2's forward by chunks (mamba_chunk_scan_combined), by the bytes that std.ops.mamba states.
scans() {
  table="$scratch/$1_scan.csv"
  {
    printf '# source: mamba2_aic.csv.gz sha256 %s\n' "$(sha256sum <"$ops/mamba2_aic.csv.gz" | cut -d' ' -f1)"
    zcat "$ops/mamba2_aic.csv.gz" | awk -F, -v gpu="$1" 'NR == 1 { print "family,dtype,bytes,time_us" }
      $1 == gpu && $4 == "mamba_chunk_scan_combined" {
        tokens = $5 * $6; inner = $7 * $8; y = 2 * tokens * (inner + 2 * $10 * $9); states = 4 * tokens * inner * $9 / $12
        printf "mamba_scan,bf16,%.0f,%s\n", 2 * y + 2 * tokens * inner + 4 * states, $13
      }'
  } >"$table"
  fit "$1_scan" "$1" 1 "$table" --model stream --keep 0.5
}

plain a100_sxm 108 sglang
plain b200_sxm 148 trtllm
cool gb200 152
plain h100_sxm 132 trtllm
plain h200_sxm 132 trtllm
alone b300_sxm 148
alone gb300 152
alone l40s 142
whole=yes
experts a100_sxm 108 2039 sglang
whole=
experts b200_sxm 148 8000 trtllm sglang_low
experts b300_sxm 148 8000 trtllm sglang_low
experts gb200 152 8000 trtllm sglang_low
experts h100_sxm 132 3350 trtllm
experts h200_sxm 132 4800 trtllm
for gpu in "h100_sxm 132" "h200_sxm 132" "l40s 142"; do
  narrow $gpu fp8 trtllm
done
for gpu in "h100_sxm 132" "h200_sxm 132"; do
  narrow $gpu fp8_block trtllm
done
for gpu in "b200_sxm 148" "b300_sxm 148" "gb200 152" "gb300 152"; do
  narrow $gpu fp8 trtllm
  narrow $gpu fp8_block trtllm --also mxfp8 # both are products of blocks with scales of powers of two
  narrow $gpu nvfp4 vllm_low --also mxfp4
done
latent a100_sxm 108
latent b200_sxm 148
latent gb200 152
latent h100_sxm 132
latent h200_sxm 132
for gpu in h100_sxm h200_sxm l40s b200_sxm b300_sxm gb200 gb300; do
  casts $gpu
done
scans b200_sxm
elementwise a100_pcie NVIDIA_A100_80GB_PCIe
elementwise h100_sxm NVIDIA_H100_80GB_HBM3
elementwise l4 NVIDIA_L4
elementwise v100_pcie Tesla_V100-PCIE-32GB
full h100_sxm 132 h100_sxm 0.4
full a100_pcie 108 a100_pcie_80 0.4
full v100_pcie 80 v100_pcie_32 0.1
full l4 58 l4 0.4
convolutions a100_pcie 108 a100_pcie_80
convolutions v100_pcie 80 v100_pcie_32
