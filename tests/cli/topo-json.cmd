# A cluster written as JSON and read again has the same links and paths; only its names are other ones.
sed 's/^import /import std.clusters.topologies, /; s/plan topology(cluster: Cluster, /plan again(/; s|cluster = cluster|cluster = topology("fabric.json", kind: h100_sxm)|' _topology.ts >"$scratch/read.ts"
cluster() { echo "== $1"; trainspec topo --format=json -D dp=16 -D "cluster=$1" -o "$scratch/fabric.json" _topology.ts; trainspec topo -D dp=16 -D "cluster=$1" _topology.ts | figures >"$scratch/drawn"
  trainspec topo -D dp=16 "$scratch/read.ts" | figures | diff "$scratch/drawn" - && wc -l <"$scratch/drawn"; }
figures() { sed 's/\[[0-9, ]*\]//g; s/  */ /g' | grep -E '^Cluster|^Bisection|GB/s' | cut -d' ' -f3- | sort; }
cluster 'dgx_h100(nodes: 2)'
cluster 'fat_tree(nodes: 8, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 2)'
cluster 'v100_mesh(nodes: 2)'
grep -c source "$scratch/fabric.json"
