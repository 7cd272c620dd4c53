#!/usr/bin/env bash
# Nothing is quadratic, reported as TAP: twice the input takes less than 2.5 times the processor time (the least of all runs).
set -u
. "$(dirname "$0")/tap.sh"
export LC_ALL=C
root=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-build}" && pwd) || exit 1
if grep -q '^TS_CFLAGS = .*-fsanitize' "$build/Makefile" 2>/dev/null; then skip_all "a build with sanitizers, whose times are others"; fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

plan() { printf 'import std.ops.nn, std.models.gpt, std.clusters.dgx, std.schedules.one_f_one_b\n%s\nplan p {\n  cluster = dgx_a100(nodes: 1)\n  costs = [roofline(a100_sxm_80g)]\n%s\n}\n' "$1" "$2"; }
strategies() { plan 'import std.strategies.data, std.strategies.offload, std.strategies.recompute, std.optimizers.adam' "$(small_gpt "$1")
  mesh = { dp: 8 }
  optimizer = adam()
  $2"; }
small_gpt() { echo "  model = gpt(layers: $1, hidden: 64, heads: 2, vocab: 128, seq: 16)"; }
chained() { awk -v n="$1" -v end="$2" 'BEGIN { for (i = 0; i < n; i++) printf "x%d = relu(x%d)%s", i + 1, i, end }'; }

ops_on_lines() { plan "model m() {
x0 = input([8, 8], bf16)
$(chained "$1" '\n')
}" '  model = m()'; }
ops_on_a_line() { plan "model m() { x0 = input([8, 8], bf16); $(chained "$1" '; ') }" '  model = m()'; }
layers() { plan '' "$(small_gpt "$1")"; }
micro_batches() { plan '' "$(small_gpt 24)
  mesh = { pp: 8 }
  schedule = one_f_one_b(p: pp, m: $1)"; }
fsdp() { strategies "$1" 'apply = [fsdp(dp)]'; }
zero2() { strategies "$1" 'apply = [zero2(dp)]'; }
offload() { strategies "$1" 'apply = [fsdp(dp), offload_activations()]'; }
recompute() { strategies "$1" 'apply = [fsdp(dp), full(), offload_activations()]'; }
stages() { plan '' "$(small_gpt "$1")
  mesh = { pp: $1 }
  schedule = one_f_one_b(p: pp, m: 16)" | sed "s/nodes: 1)/nodes: $(($1 / 8)))/"; }
links() { strategies 8 "apply = [data_parallel(dp)]
  network = [flow()]" | sed "s/nodes: 1)/nodes: $1)/; s/dp: 8 }/dp: 8, r: $1 }/"; } # as many groups as nodes
ways_out() { strategies "$1" 'apply = [data_parallel(dp)]
  batch = { micro: 16385, global: 131080 }'; } # does not fit
names() { awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "let a = 1" }'; }
imports() { # COUNT [export]
  mkdir -p "$scratch/chain$1"
  awk -v n="$1" -v to="$scratch/chain$1/f" -v export="${2:+export }" 'BEGIN { for (i = 1; i <= n; i++) { file = to i ".ts"; if (i < n) printf "%simport \"f%d.ts\"\n", export, i + 1 > file; for (k = 0; k < 40; k++) printf "let a%d_%d = %d\n", i, k, i > file; close(file) } }'
  printf 'import "chain%d/f1.ts"\n' "$1"
}
exports() { imports "$1" export; for ((i = 1; i <= 40; i++)); do echo "fn u$i() = a$1_$((i - 1)) + min(1, 2)"; done; } # all handed on from the last to the first

seconds() { # LEAST FILE PROGRAM...: user and system time of a run, if it is less
  local least=$1 file=$2 run
  shift 2
  TIMEFORMAT='%U %S'
  run=$({ time "$@" "$file" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
  awk -v a="$least" -v b="$run" 'BEGIN { print a < b ? a : b }'
}

linear() { awk -v a="$one" -v b="$two" 'BEGIN { exit !(b < 2.5 * a + 0.05) }'; }

grows() { # NAME COUNT PROGRAM...
  local name=$1 count=$2 one=1e9 two=1e9
  shift 2
  "$name" "$count" >"$scratch/one.ts"
  "$name" $((2 * count)) >"$scratch/two.ts"
  for _ in 1 2 3 4 5 6; do # a busy machine may have its caches elsewhere; what is quadratic is so each time
    one=$(seconds "$one" "$scratch/one.ts" "$@")
    one=$(seconds "$one" "$scratch/one.ts" "$@")
    two=$(seconds "$two" "$scratch/two.ts" "$@")
    ! linear || break
  done
  report "$name: $count in $one s, twice as many in $two s" "$(linear || echo "that is more than twice the time")"
}

grows ops_on_lines 10000 "$build/tsrun"
grows ops_on_a_line 10000 "$build/tsrun"
grows layers 4000 "$build/tsrun"
grows fsdp 1500 "$build/tsrun"
grows zero2 1500 "$build/tsrun"
grows offload 1500 "$build/tsrun"
grows recompute 1500 "$build/tsrun"
grows stages 1000 "$build/tsrun"
grows links 4096 "$build/tsrun"
grows ways_out 200 "$build/tsrun"
grows micro_batches 4000 "$build/tsrun"
grows names 50000 "$build/tsc" --check
grows imports 900 "$build/tsc" --check
grows exports 900 "$build/tsc" --check
summary
