# The search begins with orders of the library that the plan does not name: at equal times zb_h1's 3 m + p - 1 is the bound. What is found is no longer than any order of the library with the same stages that keeps the memory, for any number of threads; a plan with a mesh has its axis.
lab=../../examples/schedule_lab.ts; costs='-D f=10us -D i=14us -D w=6us -D message=4us'
for s in 8:32 16:128; do
  p=${s%:*} m=${s#*:}
  trainspec schedule --format=json -D "schedule=one_f_one_b(p: $p, m: $m)" $lab >"$scratch/found.json"
  jq -c --argjson p $p --argjson m $m '[.begun_with, .played, .found.step_time_ps == (3 * $m + $p - 1) * 10000000, .gap]' "$scratch/found.json"
done
search() { trainspec schedule --budget=300 --format=json "$@" $costs $lab; }
no_longer() { # MEMORY PLAN ORDER...
  local memory=$1 plan=$2 s; shift 2
  search -j1 --memory=$memory -D "schedule=$plan" >"$scratch/one.json" || return
  search -j3 --memory=$memory -D "schedule=$plan" | cmp - "$scratch/one.json"
  for s; do
    tsrun --format=json $costs -D "schedule=$s" $lab | jq -c --arg s "$s" --slurpfile found "$scratch/one.json" \
      '[$s, .step_time_ps >= $found[0].found.step_time_ps or .peak_memory_bytes > $found[0].memory_limit_bytes]'
  done
}
v='p: 4, m: 8'
no_longer 5GiB "one_f_one_b($v)" "zb_h1($v)" "zb_h2($v)" "eager_one_f_one_b($v)" "zb_1p($v)" "gpipe($v)"
no_longer 7GiB "one_f_one_b_v($v)" "zb_v($v)" "v_half($v)" "v_min($v)" "dual_pipe_v($v)" "hanayo($v)"
no_longer 6GiB "chimera($v)" "dual_pipe($v)"
no_longer 20GiB "interleaved_one_f_one_b($v, v: 2)" "zb_1p($v, v: 2)" "breadth_first($v, v: 2)"
cat >"$scratch/mesh.ts" <<END
import std.models.gpt, std.clusters.dgx, std.precision, std.costs.sources, std.networks, std.schedules.one_f_one_b
plan mesh {
  model = gpt(layers: 8, hidden: 1024, heads: 16, vocab: 50304, seq: 512)
  cluster = dgx_a100(nodes: 1)
  mesh = { stage: 8 }
  schedule = one_f_one_b(p: stage, m: 12)
  batch = { micro: 1, global: 12 }
  tokens = 512
  precision = mixed(bf16)
  costs = training_a100
  network = a100_infiniband
}
END
for fresh in '' --fresh; do trainspec schedule --budget=1 $fresh --format=json "$scratch/mesh.ts" 2>/dev/null | jq -c '[.begun_with, .found.step_time_ps < .own.step_time_ps]'; done
