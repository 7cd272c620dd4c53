topo() { echo "== $1"; trainspec topo -D dp="$2" -D "cluster=$1" _topology.ts; }
topo 'v100_mesh(nodes: 2)' 16
topo 'pcie_nodes(nodes: 2, kind: l4)' 16
topo 'nvl72(racks: 2, kind: b200_sxm)' 144
topo 'rail_clos(nodes: 64, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 2)' 512
topo 'rail_only(nodes: 8, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)' 64
topo 'fat_tree(nodes: 8, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, oversubscription: 4)' 64
topo 'dual_plane(nodes: 256, kind: h100_sxm, nvlink: 450 GB/s)' 16
topo 'dragonfly(groups: 3, routers: 4, nodes: 2, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, local: 400 GB/s, global: 200 GB/s)' 16
topo 'efa_nodes(nodes: 4, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)' 16
topo 'torus_2d(x: 4, y: 4, kind: h100_sxm, rate: 100 GB/s)' 16
topo 'torus_3d(x: 4, y: 4, z: 4, kind: h100_sxm, rate: 100 GB/s)' 64
topo 'wafer_mesh(wafers: 2, kind: h100_sxm, rate: 1 TB/s)' 168
