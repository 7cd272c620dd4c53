// Networks as base time of a call, time of a step and reachable share of the links' bandwidth, for NCCL.

// DGX A100 with InfiniBand HDR.
let a100_infiniband = [
  alpha_beta(base: 15 us, hop: 1 us, efficiency: 0.78, tier: 0),
  alpha_beta(base: 20 us, hop: 5 us, efficiency: 0.85, tier: 1),
]

// DGX H100 with InfiniBand NDR.
let h100_infiniband = [
  alpha_beta(base: 12 us, hop: 0.8 us, efficiency: 0.8, tier: 0),
  alpha_beta(base: 20 us, hop: 5 us, efficiency: 0.85, tier: 1),
]
