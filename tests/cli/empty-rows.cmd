# Rows of 0 bytes or 0 us, which nccl-tests prints, are passed over with a warning; a table of nothing else is refused, and so are sizes, islands and scales out of range.
cd "$scratch"
plan() { printf 'import std.models.gpt, std.clusters.dgx, std.strategies.data\nplan p {\n  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)\n  cluster = dgx_a100(nodes: 1)\n  mesh = { dp: 2 }\n  apply = [data_parallel(dp)]\n  network = measured(table "n.csv"%s)\n  costs = [roofline(a100_sxm_80g)]\n}\n' "$1" >p.ts; }
try() { { echo 'collective,ranks,islands,bytes,time_us'; printf '%s\n' "$@"; } >n.csv; rm -f report; tsrun -Wno-roofline-costs -o report p.ts 2>told; echo "== $?"; grep -v -e "-->" told; sed -n '/step time/p' report 2>/dev/null; }
plan ''
try all_reduce,2,1,1048576,12
try all_reduce,2,1,1024,0 all_reduce,2,1,1048576,12
try all_reduce,2,1,1024,0 all_reduce,2,1,0,3 all_reduce,2,1,1048576,12
try all_reduce,2,1,1024,1e-9 all_reduce,2,1,1048576,12
try all_reduce,2,1,1024,0
try all_reduce,2,1,1e17,12
try all_reduce,2,3,1024,12
plan ', scale: 1e-12'; try all_reduce,2,1,1048576,12
plan ', scale: 1e200'; try all_reduce,2,1,1048576,12
{ echo 'collective,ranks,bytes,time_us'; for b in 0 8 1024 4096 65536 1048576; do echo "all_reduce,8,$b,$((b / 1000))"; done; } >t.csv
trainspec fit network --hardware std/networks/nccl_hopper.json --intra 450 t.csv 2>&1 | sed -n 1,2p
