// Nodes as NCCL sees them: from the file that NCCL_TOPO_DUMP_FILE writes on a node and
// NCCL_TOPO_FILE names. Its rates are NCCL's: what it reckons with, below those of data sheets.

// One NVLink by compute capability. Source: NCCL 2.30, src/graph/topo.h.
fn _nccl_nvlink(sm: Int) -> Rate =
  if sm >= 100 then 40.1 GB/s else if sm >= 90 then 20.6 GB/s else if sm == 86 then 12 GB/s else if sm >= 70 then 20 GB/s else 18 GB/s

// GPUs and NICs hang off PCIe switches, these off processors; all processors of a node are linked.
// The NICs of all nodes meet in one fabric. `between_processors`: NCCL has 16 GB/s for AMD, 10 for
// Skylake, 22 for Sapphire Rapids, 40 for Emerald Rapids, 6 for ARM.
cluster nccl_nodes(
  file: String,
  kind: Gpu,
  nodes: Int = 1,
  between_processors: Rate = 16 GB/s,
  nvlink_latency: Time = 0.6 us,
  pcie_latency: Time = 0.6 us,
  nic_latency: Time = 1.8 us,
) {
  let t = nccl_xml(file)
  let nvlink = _nccl_nvlink(t.sm)
  device gpu[nodes, t.gpus]: kind
  switch part[nodes, t.parts], nvswitch[nodes], fabric[1]
  for n in 0..nodes, l in t.gpu_links {
    link gpu[n, l[0]] <-> part[n, l[1]] { bandwidth = l[2], latency = pcie_latency, tier = 0 }
  }
  for n in 0..nodes, l in t.links {
    link part[n, l[0]] <-> part[n, l[1]] { bandwidth = l[2], latency = pcie_latency, tier = 0 }
  }
  for n in 0..nodes, a in t.processors, b in t.processors {
    if a < b {
      link part[n, a] <-> part[n, b] { bandwidth = between_processors, latency = pcie_latency, tier = 0 }
    }
  }
  for n in 0..nodes, l in t.pairs {
    link gpu[n, l[0]] <-> gpu[n, l[1]] { bandwidth = nvlink * l[2], latency = nvlink_latency, tier = 0 }
  }
  for n in 0..nodes, l in t.switched {
    link gpu[n, l[0]] <-> nvswitch[n] { bandwidth = nvlink * l[2], latency = nvlink_latency, tier = 0 }
  }
  for n in 0..nodes, p in 0..t.parts {
    let rate = sum([l[2] for l in t.nets if l[0] == p] + [0 GB/s])
    if rate > 0 GB/s {
      link part[n, p] <-> fabric[0] { bandwidth = rate, latency = nic_latency, tier = 1 }
    }
  }
}
