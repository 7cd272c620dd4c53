// Networks for NCCL: time of a call, time of a step of the ring, and the share of the links' bandwidth that large messages reach; `ramp` is the size at
// which half of that is reached.
//
// Inside a node (tier 0) the figures are fitted for each collective on every second size from 64 KiB to 512 MiB of NCCL's times on 2, 4 and 8 GPUs (aiconfigurator,
// Apache-2.0: NCCL 2.23 on H100, 2.27 on A100); root mean square errors on them: 14 to 21 %. `./dev accuracy nccl_h100 nccl_a100` prints the errors on the sizes
// between; the command of the fit is `accuracy --fit nccl_h100/all_reduce base=12us:1us:40us,hop=1us:0us:8us,efficiency=0.8:0.4:1,ramp=1MB:0MB:20MB,fit=true`.
// Between nodes (tier 1) nothing was measured here: 85 % of the NICs' rate and 5 us a step are assumed. Plans that have measured tables say
// `measured(table "nccl.csv")` before these.

let between_nodes = [alpha_beta(base: 20 us, hop: 5 us, efficiency: 0.85, tier: 1)]

let nvswitch_h100 = [
  alpha_beta(of: "all_reduce", base: 4.7 us, hop: 0.77 us, efficiency: 0.63, ramp: 0.51 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 6.5 us, hop: 1.0 us, efficiency: 0.533, ramp: 0.3 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 6.2 us, hop: 0.64 us, efficiency: 0.538, ramp: 0.36 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 9.5 us, hop: 0.04 us, efficiency: 0.595, ramp: 0.84 MB, tier: 0),
  alpha_beta(base: 8 us, efficiency: 0.6, tier: 0),
]

let nvswitch_a100 = [
  alpha_beta(of: "all_reduce", base: 9.0 us, hop: 0.73 us, efficiency: 0.6, ramp: 0.63 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 13 us, hop: 0.89 us, efficiency: 0.464, ramp: 0.19 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 13 us, hop: 0.4 us, efficiency: 0.522, ramp: 0.42 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 15 us, hop: 0.12 us, efficiency: 0.509, ramp: 0.31 MB, tier: 0),
  alpha_beta(base: 12 us, efficiency: 0.55, tier: 0),
]

// DGX A100 with InfiniBand HDR, DGX H100 with InfiniBand NDR.
let a100_infiniband = nvswitch_a100 + between_nodes
let h100_infiniband = nvswitch_h100 + between_nodes
