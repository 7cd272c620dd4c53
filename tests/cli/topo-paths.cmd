trainspec topo --paths -D dp=14 -D 'cluster=wafer_photonic(rows: 2, columns: 7, kind: h100_sxm, rate: 1 TB/s, optical: 500 GB/s)' _topology.ts
trainspec topo --paths --most 4 -D dp=8 -D 'cluster=rail_clos(nodes: 2, gpus: 4, pod: 1, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s) with { link leaf[0, 1] <-> spine[0] { failed = true } }' _topology.ts
