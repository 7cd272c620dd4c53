// Networks between nodes of eight NVSwitch-connected GPUs. NVLink and NIC rates are of one
// direction; tier 0 links stay inside a node.
//
// Links that several cables make are one link of their rate together, as a fabric that spreads
// flows well gives it.

// Two-level Clos, a leaf for each rail of a pod; `oversubscription` is how much more the nodes of a
// pod can send than its leaves pass on. Source: Wang et al., "Rail-only: a low-cost
// high-performance network for training LLMs" (2023), figure 2.
cluster rail_clos(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  pod: Int = 32,
  nvlink: Rate,
  nic: Rate,
  nic_latency: Time = 1.8 us,
  oversubscription: Real = 1,
) {
  let pods = div(nodes + pod - 1, pod)
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], leaf[pods, gpus], spine[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[n, g] <-> leaf[div(n, pod), g] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for p in 0..pods, g in 0..gpus {
    link leaf[p, g] <-> spine[0] { bandwidth = nic * pod / oversubscription, latency = 0.4 us, tier = 2 }
  }
}

// Rail-only: rails are joined nowhere but in the nodes, so that what goes to another rail crosses
// NVLink first or last; `nic` passes on what other GPUs of the node send over its rail. A leaf for
// each rail of a pod, and one switch over the leaves of a rail. Source: the same paper, figure 3.
cluster rail_only(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  pod: Int = 64,
  nvlink: Rate,
  nic: Rate,
  nic_latency: Time = 1.8 us,
) {
  let pods = div(nodes + pod - 1, pod)
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], nic[nodes, gpus], leaf[pods, gpus], rail[gpus]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link nvswitch[n] <-> nic[n, g] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[n, g] <-> nic[n, g] { bandwidth = nic, latency = 0 us, tier = 1 }
    link nic[n, g] <-> leaf[div(n, pod), g] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for p in 0..pods, g in 0..gpus {
    link leaf[p, g] <-> rail[g] { bandwidth = nic * pod, latency = 0.4 us, tier = 2 }
  }
}

// Fat tree: the GPUs of a node share one leaf with the others of the pod. Source: Al-Fares,
// Loukissas and Vahdat, "A scalable, commodity data center network architecture" (2008).
cluster fat_tree(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  pod: Int = 4,
  nvlink: Rate,
  nic: Rate,
  nic_latency: Time = 1.8 us,
  oversubscription: Real = 1,
) {
  let pods = div(nodes + pod - 1, pod)
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], leaf[pods], core[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[n, g] <-> leaf[div(n, pod)] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for p in 0..pods {
    link leaf[p] <-> core[0] { bandwidth = nic * gpus * pod / oversubscription, latency = 0.4 us, tier = 2 }
  }
}

// Two planes: each NIC has two ports of half its rate, each to a leaf of its own plane. What is
// sent goes over both side by side. With one plane down, its links have `failed = true`. Source: Qian et al., "Alibaba HPN: a data center network for
// large language model training" (SIGCOMM 2024).
cluster dual_plane(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  pod: Int = 128,
  nvlink: Rate,
  nic: Rate = 400 Gb/s,
  nic_latency: Time = 1.8 us,
  oversubscription: Real = 1,
) {
  let pods = div(nodes + pod - 1, pod)
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], leaf[2, pods, gpus], spine[2]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    for plane in 0..2 {
      link gpu[n, g] <-> leaf[plane, div(n, pod), g] { bandwidth = nic / 2, latency = nic_latency, tier = 1 }
    }
  }
  for plane in 0..2, p in 0..pods, g in 0..gpus {
    link leaf[plane, p, g] <-> spine[plane] { bandwidth = nic / 2 * pod / oversubscription, latency = 0.4 us, tier = 2 }
  }
}

// Dragonfly: routers of a group are all linked, and each two groups by one link between routers
// chosen round-robin. Source: Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable
// dragonfly topology" (ISCA 2008).
cluster dragonfly(
  groups: Int,
  routers: Int,
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  nvlink: Rate,
  nic: Rate,
  nic_latency: Time = 1.8 us,
  local: Rate,
  global: Rate,
) {
  device gpu[groups, routers * nodes, gpus]: kind
  switch nvswitch[groups, routers * nodes], router[groups, routers]
  for q in 0..groups, n in 0..routers * nodes, g in 0..gpus {
    link gpu[q, n, g] <-> nvswitch[q, n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[q, n, g] <-> router[q, div(n, nodes)] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for q in 0..groups, r in 0..routers, s in r + 1..routers {
    link router[q, r] <-> router[q, s] { bandwidth = local, latency = 0.3 us, tier = 2 }
  }
  for q in 0..groups, t in q + 1..groups {
    link router[q, t % routers] <-> router[t, q % routers] { bandwidth = global, latency = 1 us, tier = 3 }
  }
}

// Instances of a public cloud on EFA: each GPU spreads its packets over all paths of one flat
// fabric (SRD), with a longer latency than InfiniBand. Source: Shalev et al., "A cloud-optimized
// transport protocol for elastic and scalable HPC" (IEEE Micro 2020).
cluster efa_nodes(nodes: Int, kind: Gpu, gpus: Int = 8, nvlink: Rate, nic: Rate, nic_latency: Time = 7.5 us, oversubscription: Real = 1) {
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], host[nodes], fabric[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = 0.6 us, tier = 0 }
    link gpu[n, g] <-> host[n] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for n in 0..nodes {
    link host[n] <-> fabric[0] { bandwidth = nic * gpus / oversubscription, latency = 0 us, tier = 1 }
  }
}
