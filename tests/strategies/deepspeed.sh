#!/usr/bin/env bash
# deepspeed.sh: the calls of DeepSpeed's ZeRO in order, of a plan with the modules of a small Llama. DeepSpeed 0.16 itself makes these calls (packages/tracer/tests/test_deepspeed.py compares them).
export LC_ALL=C
for use in 'zero1(dp, reduce_bucket_size: 30000)' 'zero2(dp, reduce_bucket_size: 30000, overlap_comm: true)' \
  'zero3(dp, prefetch_bucket_size: 20000, param_persistence_threshold: 1000, max_live_parameters: 40000, reduce_bucket_size: 30000, max_reuse_distance: 0)' \
  'zero3(dp, prefetch_bucket_size: 5000, param_persistence_threshold: 1000, max_reuse_distance: 100000)'; do
  printf "%s" "$use"
  tsc -S -o - -D "use=deepspeed_$use" ../../packages/tracer/tests/scripts/zero.ts | awk '
    function unit(u) { return u == "B" ? 1 : 1024 ^ index("KMGT", substr(u, 1, 1)) }
    $1 == "collective" { bytes[$2] = $3 " " $4 * unit($5) }
    $1 == "fragment" { work = $2; gsub(/[^A-Z]/, "", work); last = "" }
    match($0, /: collective [^ ]+/) {
      call = bytes[substr($0, RSTART + 13, RLENGTH - 13)]
      split(call, part, " ")
      printf "%s%s", (work != shown ? "\n  " work ":" : ""), (part[1] != last || work != shown ? " " part[1] : "")
      printf " %s", part[2]
      last = part[1]; shown = work
    }
    END { print "" }'
done
