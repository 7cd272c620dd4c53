// The machine of SimAI-Analytical's example: hosts of eight A100, 360 GB/s of NVLink, a NIC of 48.5 GB/s each. Workloads are replayed on it.
import std.clusters.dgx, std.gpus.nvidia

plan simai_analytical(nodes: Int = 16) {
  cluster = nvswitch_nodes(nodes, kind: a100_sxm_80g, nvlink: 360 GB/s, nic: 48.5 GB/s)
  costs = [roofline(a100_sxm_80g)]
  network = [alpha_beta()]
}
