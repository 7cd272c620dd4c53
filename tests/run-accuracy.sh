#!/usr/bin/env bash
# ./dev accuracy without its data, reported as TAP: missing files are named and passed over, rows that lack something are
# counted, the page has what was printed, and README's figures are those of doc/accuracy.md.
set -u
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd) || exit 1
export PYTHONDONTWRITEBYTECODE=1 TRAINSPEC_LIBRARY="$build/libtrainspec.so"
if ! python3 -c 'import sys; assert sys.version_info >= (3, 9)' 2>/dev/null || [ ! -f "$TRAINSPEC_LIBRARY" ] ||
  nm -D "$TRAINSPEC_LIBRARY" 2>/dev/null | grep -Eq '__(asan|ubsan|tsan)_'; then
  skip_all "no Python 3.9, or no library that it can load"
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
lacks() { # FILE TEXT...: the texts that are not in the file
  local file=$1 text; shift
  for text; do grep -qF -- "$text" "$file" || echo "not there: $text"; done
}
run() { python3 "$root/tests/accuracy/compare" --source "$root" --build "$build" "$@"; }

report "figures and marks are their closed forms" "$(python3 "$root/tests/accuracy/test_compare.py" >"$scratch/out" 2>&1 || cat "$scratch/out")"

# -- a folder without any file --
mkdir "$scratch/empty"
run --data "$scratch/empty" >"$scratch/out" 2>"$scratch/err"
status=$?
report "no data at all is no failure" "$([ $status = 0 ] || echo "exit $status"; cat "$scratch/err")"
report "each missing file is named" "$(lacks "$scratch/out" e2e/zero_bubble.csv ops/neusight_e2e.csv e2e/nanotron_h100.csv \
  e2e/published_dense.csv e2e/published_moe.csv vtrain/ground_truth_multi.csv vtrain/ground_truth_single.csv \
  e2e/moe_layer_megatron.csv runs/mlperf_llm.csv ops/nccl_intra.csv.gz ops/gemm_h100_sxm.csv.gz ops/attention_h100_sxm.csv.gz \
  e2e/published_memory.csv e2e/nanotron_memprofile.csv runs/megatron_ci.csv runs/nccl_inter 'ops/optable_')"

# -- a folder with some: rows made up here, no measurements --
mkdir -p "$scratch/data/e2e"
columns=model,params_b,layers,hidden,heads,kv_heads,ffn,vocab,geom_from,gpu,gpus,tp,pp,vp,cp,ep,etp,dp,sharding,micro_batch,global_batch,seq,precision,recompute,seq_parallel,schedule,other,step_s,tok_s_gpu,tflops_gpu,tflops_kind,mfu_pct,hfu_pct,mem_gib,mem_kind,step_s_derived,source
row() { echo "GPT_1B,,4,1024,8,,,51200,,$1,8,$2,1,,,,,$3,,1,$4,2048,,full,,,,,,,,,,,,$5,Narayanan et al. (made up)"; }
{ echo $columns; row A100-SXM4-80GB 8 1 8 1.0; row A100-SXM4-80GB 4 2 16 0.5; row A100-SXM4-80GB 2 4 32 0.25; } >"$scratch/data/e2e/published_dense.csv"
run --data "$scratch/data" --write "$scratch/page.md" published_dense narayanan zero_bubble >"$scratch/out" 2>&1
status=$?
report "a set goes on where another lacks its file, or a table of its plan" "$([ $status = 0 ] || echo "exit $status"
  lacks "$scratch/out" 'skipped, there is no e2e/zero_bubble.csv' '3 rows: error[E0701]: cannot find `ops/gemm_a100_sxm.csv.gz`')"
awk '$1 == "all" { print "| all | " $2 " | " $3 " % | " $4 " % |" }' "$scratch/out" >"$scratch/lines"
report "the page has the figures that were printed" "$([ -s "$scratch/lines" ] || cat "$scratch/out"
  while read -r line; do lacks "$scratch/page.md" "$line"; done <"$scratch/lines"
  lacks "$scratch/page.md" '## published_dense' 'pictures/accuracy/published_dense.svg' 'arXiv 2104.04473')"
picture=$scratch/pictures/accuracy/published_dense.svg
report "the picture has the points of the first part, and is well formed" "$(
  rows=$(sed -nE '1s/^\| all \| ([0-9]+) .*/\1/p' "$scratch/lines")
  [ "$(grep -o 'h0' "$picture" | wc -l)" = "$rows" ] || cat "$picture"
  ! command -v xmllint >/dev/null || xmllint --noout "$picture" 2>&1)"

# ... with rows that cannot be predicted
{ echo $columns; row A100-SXM4-80GB 8 1 8 1.0; row A100-SXM4-80GB 3 1 8 1.0; row "Abacus 2" 8 1 8 1.0; } >"$scratch/data/e2e/published_dense.csv"
run --data "$scratch/data" published_dense >"$scratch/out" 2>&1
report "rows that lack something are counted by reason" "$(lacks "$scratch/out" '1 rows: a gpu that std has not' \
  '1 rows: degrees or batch do not multiply to what is printed' 'assumed')"

# ... whose GPU only sounds like one, whose format is left open
{ echo $columns; row "H100 NVL" 8 1 8 1.0; row GH200 8 1 8 1.0; } >"$scratch/data/e2e/published_dense.csv"
mkdir "$scratch/data/runs"
mlperf() { echo "v9.9,nobody,NVIDIA H100-SXM5-80GB,8,llama31_8b,$1,1,1,,1,1,8,8192,1.0"; }
{ echo version,submitter,gpu,gpus,benchmark,precision,tp,pp,vp,cp,micro_batch,global_batch,seq,step_s
  mlperf 'open: fp8|bf16'; mlperf fp32; } >"$scratch/data/runs/mlperf_llm.csv"
run --data "$scratch/data" published_dense mlperf >"$scratch/out" 2>&1
report "no machine or format is guessed" "$(lacks "$scratch/out" '2 rows: a gpu that std has not' '2 rows: its configuration is not known')"
rm "$scratch/data/runs/mlperf_llm.csv"

# ... through links, and not packed
mkdir "$scratch/elsewhere" "$scratch/data/ops"
{ echo dtype,m,n,k,time_us; echo bfloat16,128,128,128,10; } | gzip >"$scratch/elsewhere/table.gz"
{ echo $columns; row A100-SXM4-80GB 8 1 8 1.0; } >"$scratch/elsewhere/rows"
ln -sf ../../elsewhere/rows "$scratch/data/e2e/published_dense.csv"
ln -s ../../elsewhere/table.gz "$scratch/data/ops/gemm_a100_sxm.csv.gz"
echo gpu,version,collective,dtype,gpus,bytes,time_us >"$scratch/data/ops/nccl_intra.csv"
run --data "$scratch/data" narayanan nccl_h100 >"$scratch/out" 2>&1
report "data may be links, packed or not" "$(lacks "$scratch/out" 'narayanan: GPT in Megatron-LM' 'nccl_h100: NCCL inside'
  grep -F -e "outside the plan's folder" -e 'gemm_a100_sxm.csv.gz` cannot' -e skipped "$scratch/out")"
rm -r "$scratch/data/ops" "$scratch/data/e2e/published_dense.csv"

tpu() { echo "table,$1,TPU v5e,8,1,16,2048,bf16,$2,,,,2,ici_fsdp_parallelism=-1,full,$3,made up,"; }
{ echo source_kind,model,chip,chips,slices,global_batch,seq,precision,step_s,tflops_chip,tokens_s_chip,mfu_pct,per_device_batch,mesh,remat,other,source,commit
  tpu llama3_1-8b-2048-some-setting 2.0 x=y; tpu nothing_known-by-this_name 2.0 x=y; tpu "GPT-like 1B" "" global_parameter_scale=1
} >"$scratch/data/runs/tpu_steps.csv"
pair() { echo "$1,Llama-3-8B,H100-80GB-SXM,8,pretrain bf16 seq4096 TP1 PP1 MBS1 $2,$3,$4,,,,,made up after NVIDIA-NeMo/Megatron-Bridge"; }
{ echo effect,model,gpu,gpus,config,case,step_s,tflops_gpu,mem_gb,mem_kind,other,source
  pair recompute_modules GBS8 none 1.0; pair recompute_modules GBS8 mlp 1.2; pair recompute_modules "" none 1.0; pair recompute_modules "" mlp 1.2
  pair unheard_of GBS8 off 1.0; pair unheard_of GBS8 on 1.0; pair layout GBS8 TP1 1.0; } >"$scratch/data/runs/ab_effects.csv"
run --data "$scratch/data" tpu pairs >"$scratch/out" 2>&1
report "TPUs and pairs: the same" "$(lacks "$scratch/out" '1 rows: a model that std has not' '1 rows: no time and no rate' \
  'recompute_modules of Llama-3-8B, mlp against none: +' '2 rows: batch, micro-batch or sequence not stated' \
  '2 rows: what it switches is no parameter of the plan' '1 rows: one case of its setting alone' 'sign right: 100 % of the rows; 100 %')"

run --data "$scratch/data" --write "$scratch/no/folder/page.md" narayanan >"$scratch/out" 2>&1
status=$?
report "a page that cannot be written is an error" "$([ $status = 4 ] || echo "exit $status"; lacks "$scratch/out" 'No such file or directory')"

# -- what scripts of its own compare --
for script in configurations imports beyond; do "$root/tests/accuracy/run.sh" "$build" "$scratch/empty" $script; echo "exit $?"; done >"$scratch/out" 2>&1
report "scripts without their data: the same" "$(lacks "$scratch/out" 'skipped, there is no '"$scratch/empty/configs/huggingface" \
  'a100_sxm gemm: skipped, there is no ops/gemm_a100_sxm.csv.gz' 'gb200 attention: skipped, there is no ops/attention_gb200.csv.gz'
  [ "$(grep -c 'exit 0' "$scratch/out")" = 3 ] || cat "$scratch/out")"
configs=$scratch/data/configs
mkdir -p "$configs/huggingface"
config() { echo "{\"model_type\": \"llama\", \"hidden_size\": 64, \"num_hidden_layers\": 2, \"num_attention_heads\": 4, \"vocab_size\": 1000, \"intermediate_size\": $1}" >"$configs/huggingface/$2.json"; }
counted() { # EXACT: of both, beside a rounded figure of one
  { echo file,framework,params_public,params_counted,active_counted
    echo "huggingface/a.json,huggingface,,$1,"; echo "huggingface/b.json,huggingface,$2,,"; } >"$configs/index.csv"
  "$root/tests/accuracy/run.sh" "$build" "$scratch/data" configurations >"$scratch/out" 2>&1; echo "exit $?" >>"$scratch/out"
}
config 96 a; config 96 b; echo '{"model_type": "unheard-of"}' >"$configs/huggingface/c.json"
exact=$((2 * 1000 * 64 + 2 * (4 * 64 * 64 + 3 * 64 * 96 + 2 * 64) + 64)) # words twice, layers with their two norms, the last norm
counted $exact 0.198M
report "counts of configurations: exact, rounded, refused" "$(lacks "$scratch/out" "$exact exact" "$exact rounded" 'c   ' '1 exact, 1 refused, 1 rounded of 3' 'exit 0')"
counted $((exact + 1)) 0.197M
report "counts of configurations: those that are off" "$(lacks "$scratch/out" "$exact OFF by -1" "$exact OFF: published" '2 off, 1 refused of 3' 'exit 1')"

# -- papers --
papers() { "$root/tests/accuracy/run.sh" "$build" "$@" >"$scratch/out" 2>&1; echo "exit $?" >>"$scratch/out"; }
papers "$scratch/empty" papers
report "tables of papers that are absent are named" "$(lacks "$scratch/out" 'table12: skipped, there is no papers/echo_moye/moye_table12_ddp_network.csv' \
  'figure10: skipped, there is no papers/simai/text_numbers.csv' 'exit 0')"
mkdir -p "$scratch/data/papers/echo_moye"
{ echo row,half,table,model,gpu,gpus,network_gb_per_s_per_node,network_as_printed,profiled_ms,predicted_ms,error_pct_printed
  echo 1,development,12,vgg19,a100,16,12.5,made up,500,510,2; echo 2,held back,12,vgg19,a100,16,200,made up,5000,4000,20
} >"$scratch/data/papers/echo_moye/moye_table12_ddp_network.csv"
papers "$scratch/data" papers --write "$scratch/page.md" moye.table12
report "tables of papers: each half, their errors and ours, what is asked" "$(lacks "$scratch/out" 'development: 1 rows, mean error' 'theirs 2.0' \
  'held back: 1 rows, mean error' 'within 5/10/15: 0/0/0 %, theirs 20.0' 'asked of rows held back: 5 %: NOT MET' 'exit 0'
  lacks "$scratch/page.md" '| vgg19, made up | held back |' '5,000')"

report "doc/papers.md has the mechanisms, and what they name exists" "$(python3 "$root/tests/accuracy/papers/mechanisms.py" --build "$build" --check 2>&1)"

# -- README --
# Figures of README's and doc/accuracy_inputs.md's tables, by the set that a first cell links to, against doc/accuracy.md.
figures() { # FILE PATTERN: SET ROWS MEAN MEDIAN WITHIN ORDER BASELINE
  sed -nE "s/^\| .*$2#([a-z_0-9]+)\)[^|]*\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|.*/\1 \2 \3 \4 \5 \6 \7/p" "$1" | tr -s ' '
}
figures "$root/doc/accuracy.md" '\(' | sort >"$scratch/page"
{ figures "$root/README.md" '\(doc\/accuracy.md'; figures "$root/doc/accuracy_inputs.md" '\(accuracy.md'; } | sed 's/,//' | sort -u >"$scratch/readme"
report "tables of README and of what figures rest on have those of doc/accuracy.md" "$([ -s "$scratch/readme" ] || echo "no line of README links to a set"
  comm -23 "$scratch/readme" "$scratch/page")"

summary
