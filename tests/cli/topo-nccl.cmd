trainspec topo -D dp=8 -D 'cluster=nccl_nodes("_node.xml", nodes: 2, kind: h100_sxm)' _topology.ts
trainspec topo --paths -D dp=4 -D 'cluster=nccl_nodes("_node.xml", kind: h100_sxm)' _topology.ts
