// Networks for NCCL.
//
// Inside a node of NVSwitch they are white boxes, calibrated with `trainspec fit network` to NCCL's
// times on 2, 4 and 8 GPUs (networks/*.json say which: nccl_intra.csv.gz of aiconfigurator and, for
// B300 and GB300, its nccl_aic.csv.gz, Apache-2.0, half precision, 512 B to 512 MiB; NCCL 2.27.3 on
// the A100, 2.29.2 on the others).
// `./dev accuracy collectives` prints their errors on sizes held back. Other numbers of GPUs, and
// collectives that were not measured, rest on the constants of NCCL's own tuning for the generation
// (networks/nccl_*.json, NCCL 2.30.7).
//
// Between nodes (tier 1, and the tiers above it that fabrics have) the library's constants are
// joined with those of a fabric: the share of the NICs' rate that is reached, the latency of a
// step, the first chunks of trees (networks/infiniband.json and its like; each names the clusters
// of nccl_inter.csv.gz whose every second size it was fitted to by `accuracy --fit between_nodes
// FOLDER`). `./dev accuracy between_nodes` prints their errors on the other sizes, and on clusters
// and fabrics left out. Rates and numbers of NICs are the cluster's own. InfiniBand's constants
// come from NDR, and hold for HDR by assumption; so do EFA's of p5 for p5en and TCPXO's for TCPX.
// `nccl_ampere`, `nccl_hopper` and `nccl_blackwell` are NCCL's constants alone, for all tiers.
// Plans that have measured tables say `measured(table "nccl.csv")` or `whitebox("net.json")` before
// these. `between_nodes` is for a fabric that nothing is known of: 85 % of the NICs' rate, 20 us a
// call and 5 us a step are assumed, and the report says so.
//
// The latency-bandwidth figures behind the white boxes are fitted for each collective on every
// second size from 1 to 512 MiB; root mean square errors on them: 10 to 19 %. The command of the
// fit is `accuracy --fit nccl_h100/all_reduce
// base=12us:0us:40us,hop=1us:0us:8us,efficiency=0.8:0.4:1,ramp=1MB:0MB:20MB,fit=true`.

let between_nodes = [alpha_beta(base: 20 us, inter_hop: 5 us, efficiency: 0.85, tier: 1, assumed: true)]

// Fabrics, by what they join: A100 (HDR, p4d and p4de, Slingshot with two GPUs at a NIC), H100 and
// H200 (NDR, RoCE, p5 and p5en, GPUDirect-TCPX and TCPXO), GH200 (Slingshot 11 with a NIC for each
// GPU), B200 and B300, GB200 and GB300 (racks of NVLink and what lies beyond), MI300X (RCCL, by the
// constants of NCCL without NVLS).
let infiniband_hdr = [whitebox("std/networks/nccl_ampere.json", between: "std/networks/infiniband.json", tier: 1)]
let infiniband_ndr = [whitebox("std/networks/nccl_hopper.json", between: "std/networks/infiniband.json", tier: 1)]
let infiniband_b200 = [whitebox("std/networks/nccl_blackwell.json", between: "std/networks/infiniband.json", tier: 1)]
let roce_a100 = [whitebox("std/networks/nccl_ampere.json", between: "std/networks/roce.json", tier: 1)]
let roce_h100 = [whitebox("std/networks/nccl_hopper.json", between: "std/networks/roce.json", tier: 1)]
let roce_b200 = [whitebox("std/networks/nccl_blackwell.json", between: "std/networks/roce.json", tier: 1)]
let roce_mi300x = [
  whitebox("std/networks/nccl_hopper.json", between: "std/networks/roce.json", variables: { NCCL_NVLS_ENABLE: 0 }, tier: 1),
]
let efa_p4 = [whitebox("std/networks/nccl_ampere.json", between: "std/networks/efa_p4.json", tier: 1)]
let efa_p5 = [whitebox("std/networks/nccl_hopper.json", between: "std/networks/efa.json", tier: 1)]
let tcpx = [whitebox("std/networks/nccl_hopper.json", between: "std/networks/tcpx.json", tier: 1)]
let slingshot11 = [
  whitebox("std/networks/nccl_hopper.json", between: "std/networks/slingshot11.json", variables: { NCCL_NVLS_ENABLE: 0 }, tier: 1),
]
let slingshot11_shared = [whitebox("std/networks/nccl_ampere.json", between: "std/networks/slingshot11_shared.json", tier: 1)]
let nvl72_racks = [whitebox("std/networks/nccl_blackwell.json", between: "std/networks/nvl72.json", tier: 1)]

let nvswitch_h100 = [
  alpha_beta(of: "all_reduce", base: 4.8 us, hop: 0.02 us, efficiency: 0.689, ramp: 0.85 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 9.9 us, hop: 0.02 us, efficiency: 0.573, ramp: 0.11 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 6.5 us, hop: 0.02 us, efficiency: 0.578, ramp: 0.43 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 12.4 us, hop: 0.02 us, efficiency: 0.602, ramp: 0.06 MB, tier: 0),
  alpha_beta(base: 10 us, efficiency: 0.6, tier: 0),
] source "nccl_intra.csv.gz of aiconfigurator, every second size from 1 to 512 MiB"

let nvswitch_a100 = [
  alpha_beta(of: "all_reduce", base: 21.3 us, hop: 0.02 us, efficiency: 0.643, ramp: 0.06 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 19.4 us, hop: 0.02 us, efficiency: 0.507, ramp: 0.06 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 19.9 us, hop: 1.2 us, efficiency: 0.606, ramp: 0.33 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 19.9 us, hop: 0.02 us, efficiency: 0.541, ramp: 0.06 MB, tier: 0),
  alpha_beta(base: 20 us, efficiency: 0.55, tier: 0),
] source "nccl_intra.csv.gz of aiconfigurator, every second size from 1 to 512 MiB"

// NCCL's constants alone, by generation.
let nccl_ampere = [whitebox("std/networks/nccl_ampere.json")]
let nccl_hopper = [whitebox("std/networks/nccl_hopper.json")]
let nccl_blackwell = [whitebox("std/networks/nccl_blackwell.json")]

// Sums dimension by dimension, as ASTRA-sim's systems and BlueConnect do: a reduce-scatter inside
// islands, an all-reduce between them (tier by tier), an all-gather inside. The links' own rates and
// latencies, 5 us a call; `flow` shares links, `alpha_beta` knows insides and betweens alone.
let by_dimensions = [flow(algorithm: "hierarchical", base: 5 us, assumed: true)]

// Curves of bandwidth against size (TorchSim's form) inside a node, fitted by `trainspec fit
// network --model statistical` to the same rows as the white boxes.
let a100_statistical = [statistical("std/networks/a100_sxm_curves.json")]
let h100_statistical = [statistical("std/networks/h100_sxm_curves.json")]

// DGX A100 with InfiniBand HDR; DGX H100, H200, B200 and B300 with InfiniBand NDR; racks of GB200 and
// GB300 whose NVLink domain is one island.
let a100_infiniband = [whitebox("std/networks/a100_sxm.json", tier: 0)] + nvswitch_a100 + infiniband_hdr
let h100_infiniband = [whitebox("std/networks/h100_sxm.json", tier: 0)] + nvswitch_h100 + infiniband_ndr
let h200_infiniband = [whitebox("std/networks/h200_sxm.json", tier: 0)] + nvswitch_h100 + infiniband_ndr
let b200_infiniband = [whitebox("std/networks/b200_sxm.json", tier: 0)] + nvswitch_h100 + infiniband_b200
let b300_infiniband = [whitebox("std/networks/b300_sxm.json", tier: 0)] + nvswitch_h100 + infiniband_b200
let gb200_nvl72 = [whitebox("std/networks/gb200.json", tier: 0)] + nvswitch_h100 + nvl72_racks
let gb300_nvl72 = [whitebox("std/networks/gb300.json", tier: 0)] + nvswitch_h100 + nvl72_racks

// The same GPUs in clouds.
let a100_efa = [whitebox("std/networks/a100_sxm.json", tier: 0)] + nvswitch_a100 + efa_p4
let h100_efa = [whitebox("std/networks/h100_sxm.json", tier: 0)] + nvswitch_h100 + efa_p5
let h200_efa = [whitebox("std/networks/h200_sxm.json", tier: 0)] + nvswitch_h100 + efa_p5
let h100_roce = [whitebox("std/networks/h100_sxm.json", tier: 0)] + nvswitch_h100 + roce_h100
let h100_tcpx = [whitebox("std/networks/h100_sxm.json", tier: 0)] + nvswitch_h100 + tcpx
let b200_roce = [whitebox("std/networks/b200_sxm.json", tier: 0)] + nvswitch_h100 + roce_b200

// Memory that NCCL takes of a device, for `memory` of a plan: `memory = nccl_memory([tp, dp])`, a
// communicator for each group of several ranks. A ring has one connection a channel and a rank,
// whose receiver holds the buffers of the protocols (NCCL 2.27, src/include/device.h: 8 steps of 512
// threads and 8 lines for LL, of 640 threads and 120 words for LL128; NCCL_BUFFSIZE). With 32
// channels, 48 MiB are left for the kernels of 342 MiB that two GPUs take (aiconfigurator,
// `nccl_mem`, NCCL 2.27.3); four and eight GPUs take 392 MiB. `channels` is what the release opens
// (NCCL_DEBUG=INFO prints it), `connections` 2 where trees are in use besides rings.
fn nccl_communicator(
  ranks: Int,
  channels: Int = 32,
  connections: Int = 1,
  simple: Size = 4 MiB,
  ll: Size = 512 KiB,
  ll128: Size = 4915200 B,
) -> Size = if ranks > 1 then channels * connections * (simple + ll + ll128) else 0 B
fn nccl_memory(
  groups: List[Int],
  channels: Int = 32,
  connections: Int = 1,
  simple: Size = 4 MiB,
  ll: Size = 512 KiB,
  ll128: Size = 4915200 B,
  kernels: Size = 48 MiB,
) -> Record = {
  nccl: (if max(groups) > 1 then kernels else 0 B) + sum([
    nccl_communicator(n, channels: channels, connections: connections, simple: simple, ll: ll, ll128: ll128) for n in groups
  ]),
}
