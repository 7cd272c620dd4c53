trainspec topo --format svg --most 10 -D dp=16 -D 'cluster=pcie_nodes(nodes: 2, kind: l4)' _topology.ts
