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

fn dgx_a100(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: a100_sxm_80g, nvlink: 300 GB/s, nic: 200 Gb/s)
