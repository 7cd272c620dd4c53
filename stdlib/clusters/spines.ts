// Two-level Clos networks with all of their spines, so that flows that a hash puts on one of them
// collide. Those of std.clusters.fabrics have one spine of their rates together.

// A leaf for each rail of a pod (`rails`), or for the pod; `tors` of them, to each of which a NIC has a
// port of rate `port`. With `planes`, the k-th of them has spines of its own. Each leaf has one uplink
// to each of its spines.
cluster spined(
  nodes: Int,
  kind: Gpu,
  spines: Int,
  port: Rate,
  uplink: Rate,
  pod: Int,
  gpus: Int = 8,
  rails: Bool = true,
  tors: Int = 1,
  planes: Int = 1,
  nvlink: Rate = 450 GB/s,
  nvlink_latency: Time = 0.6 us,
  nic_latency: Time = 1.8 us,
  hop: Time = 0.4 us,
) {
  let pods = div(nodes + pod - 1, pod)
  let rows = if rails then gpus else 1
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], leaf[pods, rows, tors], spine[planes, div(spines, planes)]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = nvlink_latency, tier = 0 }
    for t in 0..tors {
      link gpu[n, g] <-> leaf[div(n, pod), g % rows, t] { bandwidth = port, latency = nic_latency, tier = 1 }
    }
  }
  for p in 0..pods, r in 0..rows, t in 0..tors, q in 0..planes, s in 0..div(spines, planes) {
    if planes == 1 or q == t {
      link leaf[p, r, t] <-> spine[q, s] { bandwidth = uplink, latency = hop, tier = 2 }
    }
  }
}

// Networks by name, as SimAI's generator has them (aliyun/SimAI, inputs/topo). Alibaba's HPN: Qian et
// al., "Alibaba HPN" (SIGCOMM 2024); DCN+ is the network before it, without rails.
fn spectrum_x(nodes: Int, kind: Gpu) -> Cluster = spined(nodes, kind, spines: 64, port: 400 Gb/s, uplink: 400 Gb/s, pod: 64)
fn hpn(nodes: Int, kind: Gpu) -> Cluster = spined(nodes, kind, spines: 120, port: 200 Gb/s, uplink: 400 Gb/s, pod: 128, tors: 2)
fn hpn_dual_plane(nodes: Int, kind: Gpu) -> Cluster = spined(
  nodes,
  kind,
  spines: 120,
  port: 200 Gb/s,
  uplink: 400 Gb/s,
  pod: 128,
  tors: 2,
  planes: 2,
)
fn dcn_plus(nodes: Int, kind: Gpu) -> Cluster = spined(nodes, kind, spines: 8, port: 400 Gb/s, uplink: 400 Gb/s, pod: 8, rails: false)
fn dcn_plus_dual_tor(nodes: Int, kind: Gpu) -> Cluster = spined(
  nodes,
  kind,
  spines: 8,
  port: 200 Gb/s,
  uplink: 400 Gb/s,
  pod: 16,
  rails: false,
  tors: 2,
)
