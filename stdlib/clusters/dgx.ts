// Nodes of eight NVSwitch-connected GPUs with one NIC a GPU, rail-optimised into a non-blocking
// two-level fat tree. NVLink and NIC rates are of one direction. Tier 0 links stay inside a node,
// tier 1 links leave it.
//
// Sources: NVIDIA DGX-1V, DGX A100, DGX H100 and DGX B200 system data sheets (NVLink: 300, 600, 900
// and 1800 GB/s of both directions together; A800 and H800: 400; NICs: 4 x 100 Gb/s, 8 x 200, 8 x
// 400, 8 x 400 Gb/s).
export import std.gpus.nvidia

cluster nvswitch_nodes(
  nodes: Int,
  kind: Gpu,
  gpus: Int = 8,
  nvlink: Rate,
  nvlink_latency: Time = 0.6 us,
  nic: Rate,
  nic_latency: Time = 1.8 us,
) {
  device gpu[nodes, gpus]: kind
  switch nvswitch[nodes], leaf[gpus], spine[1]
  for n in 0..nodes, g in 0..gpus {
    link gpu[n, g] <-> nvswitch[n] { bandwidth = nvlink, latency = nvlink_latency, tier = 0 }
    link gpu[n, g] <-> leaf[g] { bandwidth = nic, latency = nic_latency, tier = 1 }
  }
  for g in 0..gpus {
    link leaf[g] <-> spine[0] { bandwidth = nic * nodes, latency = 0.4 us, tier = 1 }
  }
}

fn dgx_1v(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: v100_sxm_32g, nvlink: 150 GB/s, nic: 50 Gb/s)
fn dgx_a100(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: a100_sxm_80g, nvlink: 300 GB/s, nic: 200 Gb/s)
fn dgx_a100_40g(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: a100_sxm_40g, nvlink: 300 GB/s, nic: 200 Gb/s)
fn dgx_a800(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: a800_sxm_80g, nvlink: 200 GB/s, nic: 200 Gb/s)
fn dgx_h100(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)
fn dgx_h800(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h800_sxm, nvlink: 200 GB/s, nic: 400 Gb/s)
fn dgx_h200(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h200_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)
fn dgx_b200(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: b200_sxm, nvlink: 900 GB/s, nic: 400 Gb/s)

// Instances of a public cloud: eight H100 on NVSwitch, 3200 Gb/s of EFA a node (32 x 100 Gb/s),
// longer latency than InfiniBand.
fn p5_h100(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h100_sxm, nvlink: 450 GB/s, nic: 400 Gb/s, nic_latency: 15 us)

// One node of GPUs that talk over PCIe.
cluster pcie_node(gpus: Int, kind: Gpu, pcie: Rate = 24 GB/s, latency: Time = 2.5 us) {
  device gpu[gpus]: kind
  switch root[1]
  for g in 0..gpus {
    link gpu[g] <-> root[0] { bandwidth = pcie, latency = latency, tier = 0 }
  }
}
