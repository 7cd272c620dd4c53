#!/usr/bin/env bash
# Pages in Chromium (./dev browser): run.sh BUILD. Skips with a message where node, Chromium or playwright-core are absent.
set -eu
. "$(dirname "$0")/../tap.sh"
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
out=$build/browser
command -v node >/dev/null || skip_all "browser: no node"
CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome)} || skip_all "browser: no Chromium (apt-get install chromium)"
export CHROMIUM
mkdir -p "$out"
rm -f "$out"/*.html "$out"/*.json "$out"/*.png
echo '{"private": true}' >"$out/package.json"
[ -d "$out/node_modules/playwright-core" ] ||
  (cd "$out" && npm install --silent --no-audit --no-fund playwright-core >/dev/null 2>&1) ||
  skip_all "browser: no playwright-core, and npm cannot fetch it"

cd "$root"
page() { # NAME COMMAND...: a page; with its trace if it is a small one
  local name=$1; shift
  "$build/tsrun" --format=html -o "$out/$name.html" "$@" 2>/dev/null || [ $? = 3 ]
}
traced() { local name=$1; shift; "$build/tsrun" --format=html -o "$out/$name.html" --trace="$out/$name.json" "$@" 2>/dev/null || [ $? = 3 ]; }
traced pipeline tests/engine/report_pipeline.tsir
traced gpt2 examples/gpt2_large.ts
traced schedule -D 'schedule=zb_v(p: 4, m: 8)' examples/schedule_lab.ts
traced contended --contention -D 'schedule=interleaved_one_f_one_b(p: 4, m: 8, v: 2)' examples/schedule_lab.ts
traced hostile tests/cli/_hostile.tsir
traced crowded tests/cli/_crowded.ts
page gpt3 examples/gpt3_175b.ts
page full -D pp=4 -D dp=32 -D micro=2 examples/gpt3_175b.ts
page large -D 'schedule=interleaved_one_f_one_b(p: 64, m: 512, v: 2)' examples/schedule_lab.ts
"$build/tsc" -o "$out/before.ir" examples/gpt2_large.ts 2>/dev/null
"$build/tsc" -o "$out/after.ir" -D schedule='interleaved_one_f_one_b(p: 4, m: 8, v: 2)' examples/schedule_lab.ts 2>/dev/null
"$build/trainspec" diff --format=html -o "$out/pair.html" "$out/before.ir" "$out/after.ir" 2>/dev/null || [ $? = 1 ]
node tests/browser/page.mjs "$out" || status=$?

# Pages of clusters.
mkdir -p "$out/clusters"
rm -f "$out"/clusters/*
drawn() { # NAME CLUSTER DP OPTION...
  local name=$1 cluster=$2 dp=$3; shift 3
  "$build/trainspec" topo --format=html -o "$out/clusters/$name.html" "$@" -D "dp=$dp" -D "cluster=$cluster" tests/cli/_topology.ts 2>/dev/null
}
fabric='kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s'
drawn large "rail_clos(nodes: 1280, $fabric, oversubscription: 2)" 10240 --run
drawn unequal "rail_clos(nodes: 16, pod: 8, $fabric, oversubscription: 2) with { link gpu[3, 1] <-> leaf[0, 1] { bandwidth = 200 Gb/s }, gpu[3, 4] { speed = 0.5 } }" 128 --run
drawn failed "rail_clos(nodes: 16, $fabric) with { link gpu[5, 2] <-> leaf[0, 2] { failed = true } }" 4
drawn rack 'nvl72(racks: 8, kind: h100_sxm)' 4
drawn mesh 'v100_mesh(nodes: 4)' 4
drawn torus 'torus_2d(x: 8, y: 8, kind: h100_sxm, rate: 100 GB/s)' 64 --run
drawn torus3 'torus_3d(x: 16, y: 16, z: 16, kind: h100_sxm, rate: 100 GB/s)' 4
drawn dragonfly "dragonfly(groups: 9, routers: 4, nodes: 2, $fabric, local: 400 GB/s, global: 200 GB/s)" 4
drawn wafer 'wafer_mesh(wafers: 2, kind: h100_sxm, rate: 1 TB/s)' 4
drawn planes 'dual_plane(nodes: 256, kind: h100_sxm, nvlink: 450 GB/s)' 4
drawn pcie 'pcie_nodes(nodes: 2, kind: l4)' 16
drawn nccl 'nccl_nodes("tests/cli/_node.xml", nodes: 2, kind: h100_sxm)' 8
node tests/browser/cluster.mjs "$out" || status=$?

# Pages of sweeps, and the same as JSON.
mkdir -p "$out/sweeps"
rm -f "$out"/sweeps/*
swept() { # NAME OPTION... FILE
  local name=$1; shift
  "$build/trainspec" sweep --format=html -o "$out/sweeps/$name.html" "$@" 2>/dev/null || [ $? = 3 ]
  "$build/trainspec" sweep --format=json -o "$out/sweeps/$name.json" "$@" 2>/dev/null || [ $? = 3 ]
}
swept degrees examples/degrees.ts
swept goals --minimize step_time --minimize peak_memory --maximize 'mfu * 1' --vary 'tp=[1, 2, 4, 3]' --vary 'dp=1..3' --vary 'm=[8, 16]' tests/cli/_sweep.ts
swept hostile --vary 'name=["</script><img src=x onerror=alert(1)>", "a b", "it'"'"'s $(touch x)"]' --vary 'm=[8]' --set dp=2 tests/cli/_sweep.ts
swept none --vary 'm=[8, 16]' --require 'step_time < 1ns' --set dp=2 tests/cli/_sweep.ts
rm -f "$out"/sweeps/live.db*
"$build/trainspec" sweep --all --journal "$out/sweeps/live.db" examples/degrees.ts >/dev/null 2>&1
"$build/trainspec" sweep status --serve 0 "$out/sweeps/live.db" >"$out/sweeps/url" &
server=$!
until [ -s "$out/sweeps/url" ]; do sleep 0.1; done
LIVE=$(cat "$out/sweeps/url") node tests/browser/sweep.mjs "$out" || status=$?
kill $server
echo "# screenshots: $out/*.png"
exit ${status:-0}
