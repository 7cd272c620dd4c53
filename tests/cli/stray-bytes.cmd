# Bytes that are no UTF-8, in names of files and of a graph, a workload and a table's device: played, and shown as \xNN; names that differ stay two.
cd "$scratch"
e=$(printf '\351') f=$(printf '\350')
printf 'MICRO model_parallel_NPU_group: 2 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 2\n2\nemb%sd -1 12000 NONE 0 1 NONE 0 9000 NONE 0 100\nemb%sd -1 54000 NONE 0 60000 NONE 0 51000 NONE 0 100\n' "$e" "$f" >w.txt
graph='"format":"trainspec-graph","version":1,"rank":0,"world":1,"groups":[{"id":0,"ranks":[0]}],"streams":[{"id":0,"kind":"compute"}]'
printf '{%s,"nodes":[{"id":0,"op":"aten::mm","stream":0,"module":"u%sp","in":[["float32",[8,1024]],["float32",[1024,1024]]],"out":[["float32",[8,1024]]]},{"id":1,"op":"aten::mm","stream":0,"module":"u%sp","in":[["float32",[8,1024]],["float32",[1024,1024]]],"out":[["float32",[8,1024]]]}]}' "$graph" "$e" "$f" >g.json
printf '# device: h%s\ncollective,ranks,bytes,time_us\nall_reduce,2,1048576,12\n' "$e" >n.csv
printf 'import std.models.gpt, std.clusters.dgx, std.strategies.data\nplan p {\n  model = gpt(layers: 2, hidden: 512, heads: 8, vocab: 1000, seq: 128)\n  cluster = dgx_a100(nodes: 1)\n  mesh = { dp: 2 }\n  apply = [data_parallel(dp)]\n  network = measured(table "n.csv")\n  costs = [roofline(a100_sxm_80g)]\n}\n' >"caf$e.ts"
for trace in w.txt g.json; do trainspec replay --machine 400T:3T:450G:5us -o t.ir $trace >/dev/null 2>&1; echo "$trace: $?"; tsc -S -o - t.ir | grep -o '"[^"]*\\x[^"]*"' | sort -u; done
tsrun -Wno-roofline-costs "caf$e.ts" >report 2>told; echo "plan: $?"; grep W0808 told; tsc -S -o - "caf$e.ts" | grep '^source.*caf'
