// Nodes of eight accelerators each linked to the seven others: what a device sends to one of them
// has a seventh of its links, a collective over all uses all of them at once, as a switch of their
// sum would. Sources: AMD Instinct MI300X platform data sheet (seven links of 64 GB/s a direction,
// 76.8 with the MI350 series); Intel Gaudi 2 white paper (21 ports of 100 Gb/s inside, 3
// outside; of 200 Gb/s on Gaudi 3).
export import std.gpus.amd
export import std.gpus.intel

cluster linked_nodes(nodes: Int, kind: Gpu, links: Rate, nic: Rate, gpus: Int = 8, latency: Time = 1 us) {
  device gpu[nodes, gpus]: kind
  switch inside[nodes], leaf[gpus], spine[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> inside[n] { bandwidth = links, latency = latency, tier = 0 }
    link gpu[n, g] <-> leaf[g] { bandwidth = nic, latency = 2 us, tier = 1 }
  }
  for g in 0..gpus {
    link leaf[g] <-> spine[0] { bandwidth = nic * nodes, latency = 0.4 us, tier = 1 }
  }
}
fn mi300x_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: mi300x, links: 448 GB/s, nic: 400 Gb/s)
fn mi325x_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: mi325x, links: 448 GB/s, nic: 400 Gb/s)
fn mi350x_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: mi350x, links: 537.6 GB/s, nic: 400 Gb/s)
fn mi355x_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: mi355x, links: 537.6 GB/s, nic: 400 Gb/s)
fn gaudi2_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: gaudi2, links: 262.5 GB/s, nic: 37.5 GB/s, latency: 2 us)
fn gaudi3_nodes(nodes: Int) -> Cluster = linked_nodes(nodes, kind: gaudi3, links: 525 GB/s, nic: 75 GB/s, latency: 2 us)
