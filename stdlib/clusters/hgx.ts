// Newer machines of NVIDIA's: nodes of eight on NVSwitch, and racks. Sources: NVIDIA DGX B300 data
// sheet (8 x 800 Gb/s); HGX H20 as HGX H100; torchtitan's own benchmark notes for its machine (400
// Gb/s of RoCE a GPU).
export import std.gpus.nvidia
export import std.gpus.hopper
export import std.gpus.blackwell
import std.clusters.dgx, std.clusters.islands

fn dgx_b300(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: b300_sxm, nvlink: 900 GB/s, nic: 800 Gb/s)
fn hgx_h20(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h20_sxm, nvlink: 450 GB/s, nic: 400 Gb/s)
fn hgx_h100_500w(nodes: Int) -> Cluster = nvswitch_nodes(nodes, kind: h100_96g_500w, nvlink: 450 GB/s, nic: 400 Gb/s)

// Jobs of so many GPUs on such racks. Those that fill no rack have one domain; larger ones take 64
// of its 72 GPUs, so that groups of a power of two stay in it (NVIDIA's own submissions to MLPerf
// and recipes: 16 nodes of 4 a rack). ConnectX-7 of 400 Gb/s with the GB200, ConnectX-8 of 800 Gb/s
// with the GB300.
fn _racks(gpus: Int, kind: Gpu, nic: Rate) -> Cluster = if gpus <= 72 then nvl72(
  1,
  kind,
  gpus: gpus,
  nic: nic,
  rails: gcd(gpus, 4),
) else if gpus % 72 == 0 then nvl72(div(gpus, 72), kind, nic: nic) else nvl72(ceil_div(gpus, 64), kind, gpus: 64, nic: nic)
fn racks_of_gb200(gpus: Int) -> Cluster = _racks(gpus, gb200, 400 Gb/s)
fn racks_of_gb300(gpus: Int) -> Cluster = _racks(gpus, gb300, 800 Gb/s)
