// Pods of TPUs: tori of two dimensions (v5e, v6e: up to 256 chips) or three (v5p, TPU7x); slices of
// several pods meet in the data center's network. Rates of links are of one direction. Source:
// Google Cloud documentation of each generation (v5e: 4 links of 50 GB/s a direction; v6e: 4 of
// 112; v5p: 6 of 100; TPU7x: 6 of 100); between slices the hosts' NICs, 25 GB/s for 4 chips of v5e,
// 50 GB/s for 8 of v6e, about what is known.
export import std.gpus.google
import std.clusters.meshes

// Chips of a pod as a switch of their links' sum, since collectives over a whole axis use all links
// of a torus at once; pods joined by hosts. A shift or a message goes by one link, which the network
// of std.machines knows; `torus_3d` with `flow()` plays each link.
cluster tpu_pods(pods: Int, chips: Int, kind: Gpu, links: Rate, nic: Rate, latency: Time = 1 us) {
  device chip[pods, chips]: kind
  switch torus[pods], network[1]
  for p in 0..pods, c in 0..chips {
    link chip[p, c] <-> torus[p] { bandwidth = links, latency = latency, tier = 0 }
    link chip[p, c] <-> network[0] { bandwidth = nic, latency = 10 us, tier = 1 }
  }
}
fn _pods(chips: Int, pod: Int, kind: Gpu, links: Rate, nic: Rate) -> Cluster = tpu_pods(
  ceil_div(chips, pod),
  min(chips, pod),
  kind: kind,
  links: links,
  nic: nic,
)
// The links' sum, of one direction.
fn pods_of_v5e(chips: Int) -> Cluster = _pods(chips, 256, tpu_v5e, 200 GB/s, 6.25 GB/s)
fn pods_of_v5p(chips: Int) -> Cluster = _pods(chips, 8960, tpu_v5p, 600 GB/s, 6.25 GB/s)
fn pods_of_v6e(chips: Int) -> Cluster = _pods(chips, 256, tpu_v6e, 448 GB/s, 12.5 GB/s)
fn pods_of_7x(chips: Int) -> Cluster = _pods(chips, 9216, tpu_7x, 600 GB/s, 12.5 GB/s)
