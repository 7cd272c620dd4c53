# How busy links are: of calls that are played as connections, and of others by rings over the shortest paths.
trainspec topo --run ../../examples/gpt3_175b.ts | head -14
echo '== of flows: the busiest links are those of the report'
trainspec topo --run ../../examples/wafer.ts 2>&1 | sed -n '/^Links/,/^$/p'
tsrun ../../examples/wafer.ts 2>/dev/null | grep -A3 'Links, of flows'
echo '== a step that has no way'
trainspec topo --run -D dp=16 -D 'cluster=rail_clos(nodes: 2, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s) with { link gpu[1, 2] <-> leaf[0, 2] { failed = true } }' _topology.ts
