trainspec topo --format dot -D dp=4 -D 'cluster=torus_2d(x: 2, y: 2, kind: h100_sxm, rate: 100 GB/s)' _topology.ts
