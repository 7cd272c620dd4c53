trainspec topo --format svg --most 10 -D dp=16 -D 'cluster=pcie_nodes(nodes: 2, kind: l4)' _topology.ts
# Rates in units that people say.
trainspec topo --format=svg ../../examples/gpt3_175b.ts | grep -o '<title>[^<]*'
