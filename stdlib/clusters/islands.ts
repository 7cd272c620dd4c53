// Nodes and racks whose devices talk to each other without leaving them: PCIe, meshes of direct
// links, NVSwitch domains of a rack.
export import std.gpus.nvidia

// Eight V100 joined by NVLink in a hybrid cube mesh (DGX-1V): six links of 25 GB/s a GPU. GPUs are
// numbered along a ring of pairs of links, as NCCL finds it: 0 3 2 1 5 6 7 4 in the order of
// nvidia-smi. Pairs without a link go over PCIe and the processors' link, which devices of two PCIe
// switches also share to the four NICs. Sources: NVIDIA DGX-1 with Tesla V100 white paper (2017),
// figures 4 and 5; `nvidia-smi topo -m`.
cluster v100_mesh(nodes: Int, kind: Gpu = v100_sxm_32g, nvlink: Rate = 25 GB/s, pcie: Rate = 12 GB/s, nic: Rate = 100 Gb/s) {
  let latency = 0.7 us
  device gpu[nodes, 8]: kind
  switch pcie_switch[nodes, 4], processor[nodes, 2], fabric[1]
  for n in 0..nodes, g in 0..8 {
    link gpu[n, g] <-> gpu[n, (g + 1) % 8] { bandwidth = 2 * nvlink, latency = latency, tier = 0 }
    link gpu[n, g] <-> pcie_switch[n, div(g, 2)] { bandwidth = pcie, latency = 1.2 us, tier = 0 }
  }
  for n in 0..nodes, pair in [[0, 3], [0, 2], [3, 1], [2, 5], [1, 6], [7, 4], [7, 5], [4, 6]] {
    link gpu[n, pair[0]] <-> gpu[n, pair[1]] { bandwidth = nvlink, latency = latency, tier = 0 }
  }
  for n in 0..nodes, s in 0..4 {
    link pcie_switch[n, s] <-> processor[n, div(s, 2)] { bandwidth = pcie, latency = 0.5 us, tier = 0 }
    link pcie_switch[n, s] <-> fabric[0] { bandwidth = nic, latency = 2 us, tier = 1 }
  }
  for n in 0..nodes {
    link processor[n, 0] <-> processor[n, 1] { bandwidth = 9.6 GB/s, latency = 0.7 us, tier = 0 }
  }
}

// Nodes of GPUs on PCIe: two processors, a PCIe switch for every `per_switch` GPUs, one NIC for
// each switch.
cluster pcie_nodes(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  per_switch: Int = 2,
  pcie: Rate = 24 GB/s,
  between_processors: Rate = 20 GB/s,
  nic: Rate = 100 Gb/s,
) {
  device gpu[nodes, gpus]: kind
  switch pcie_switch[nodes, div(gpus + per_switch - 1, per_switch)], processor[nodes, 2], fabric[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> pcie_switch[n, div(g, per_switch)] { bandwidth = pcie, latency = 1.2 us, tier = 0 }
  }
  for n in 0..nodes, s in 0..div(gpus + per_switch - 1, per_switch) {
    link pcie_switch[n, s] <-> processor[n, div(2 * s * per_switch, gpus)] { bandwidth = pcie, latency = 0.5 us, tier = 0 }
    link pcie_switch[n, s] <-> fabric[0] { bandwidth = nic, latency = 2 us, tier = 1 }
  }
  for n in 0..nodes {
    link processor[n, 0] <-> processor[n, 1] { bandwidth = between_processors, latency = 0.7 us, tier = 0 }
  }
}

// Racks of 72 GPUs in one NVLink domain (GB200 NVL72), a NIC a GPU into rails between the racks.
// Source: NVIDIA GB200 NVL72 data sheet (2024): 1.8 TB/s of NVLink a GPU, both directions.
cluster nvl72(racks: Int, kind: Gpu, gpus: Int = 72, nvlink: Rate = 900 GB/s, nic: Rate = 400 Gb/s, rails: Int = 4) {
  device gpu[racks, gpus]: kind
  switch nvswitch[racks], leaf[racks, rails], spine[1]
  for r in 0..racks, g in 0..gpus {
    link gpu[r, g] <-> nvswitch[r] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[r, g] <-> leaf[r, g % rails] { bandwidth = nic, latency = 1.8 us, tier = 1 }
  }
  for r in 0..racks, l in 0..rails {
    link leaf[r, l] <-> spine[0] { bandwidth = nic * div(gpus, rails), latency = 0.4 us, tier = 1 }
  }
}
