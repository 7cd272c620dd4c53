trainspec topo -D dp=8 -D 'cluster=nccl_nodes("_node.xml", nodes: 2, kind: h100_sxm)' _topology.ts
trainspec topo --paths -D dp=4 -D 'cluster=nccl_nodes("_node.xml", kind: h100_sxm)' _topology.ts
echo "== a GPU that hangs off its processor"
sed 's/^8//' ../fuzz/corpus/fuzz_files/topology_c2c.xml >"$scratch/c2c.xml"
trainspec topo -D dp=1 -D "cluster=nccl_nodes(\"$scratch/c2c.xml\", kind: h100_sxm)" _topology.ts
