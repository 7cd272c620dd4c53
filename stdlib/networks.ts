// Networks for NCCL: time of a call, time of a step of the ring, and the share of the links' bandwidth that large messages reach; `ramp` is the size at
// which half of that is reached.
//
// Inside a node (tier 0) the figures are fitted for each collective on every second size from 1 to 512 MiB of NCCL's times on 2, 4 and 8 GPUs (aiconfigurator,
// Apache-2.0: NCCL 2.23 on H100, 2.27 on A100); root mean square errors on them: 10 to 19 %. `./dev accuracy nccl_h100 nccl_a100` prints the errors on the sizes
// between; the command of the fit is `accuracy --fit nccl_h100/all_reduce base=12us:1us:40us,hop=1us:0us:8us,efficiency=0.8:0.4:1,ramp=1MB:0MB:20MB,fit=true`.
// Between nodes (tier 1) nothing was measured here: 85 % of the NICs' rate and 5 us a step are assumed. Plans that have measured tables say
// `measured(table "nccl.csv")` before these.

let between_nodes = [alpha_beta(base: 20 us, hop: 5 us, efficiency: 0.85, tier: 1)]

let nvswitch_h100 = [
  alpha_beta(of: "all_reduce", base: 8.9 us, hop: 0.62 us, efficiency: 0.669, ramp: 0.54 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 10.2 us, hop: 1.42 us, efficiency: 0.581, ramp: 0.15 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 10.7 us, hop: 0.13 us, efficiency: 0.578, ramp: 0.41 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 12 us, hop: 0.02 us, efficiency: 0.617, ramp: 0.52 MB, tier: 0),
  alpha_beta(base: 10 us, efficiency: 0.6, tier: 0),
]

let nvswitch_a100 = [
  alpha_beta(of: "all_reduce", base: 26.2 us, hop: 0.02 us, efficiency: 0.643, ramp: 0.06 MB, tier: 0),
  alpha_beta(of: "all_gather", base: 24 us, hop: 0.02 us, efficiency: 0.51, ramp: 0.06 MB, tier: 0),
  alpha_beta(of: "reduce_scatter", base: 20.6 us, hop: 2.26 us, efficiency: 0.606, ramp: 0.23 MB, tier: 0),
  alpha_beta(of: "all_to_all", base: 21 us, hop: 0.02 us, efficiency: 0.541, ramp: 0.06 MB, tier: 0),
  alpha_beta(base: 20 us, efficiency: 0.55, tier: 0),
]

// DGX A100 with InfiniBand HDR, DGX H100 with InfiniBand NDR.
let a100_infiniband = nvswitch_a100 + between_nodes
let h100_infiniband = nvswitch_h100 + between_nodes
