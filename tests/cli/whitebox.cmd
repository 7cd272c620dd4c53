play() { echo "== $1"; tsrun -D "network=[$1]" _whitebox.ts 2>&1 | sed -n '/step time/p;/^  dp /p;/whitebox  /p;/alpha_beta  /p;/^error/,$p'; }
play 'whitebox("std/networks/nccl_hopper.json")'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_ALGO: "ring", NCCL_PROTO: "simple" })'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_ALGO: "^nvlstree", NCCL_MAX_NCHANNELS: 4 })'
play 'whitebox(of: "all_reduce", connection: 20 us, intra_hop: 3 us, inter_hop: 14 us, inter_share: 0.9)'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_ALGOS: "ring" })'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_PROTO: "ll256" })'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_ALGO: "collnetchain,ring", NCCL_COLLNET_ENABLE: 1, NCCL_NTHREADS: 256, NCCL_BUFFSIZE: 1048576, NCCL_MIN_NCHANNELS: 32, NCCL_P2P_PXN_LEVEL: 0 })'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_COLLNET_ENABLE: 3 })'
play 'whitebox("std/networks/no_such.json")'
play 'whitebox(of: "all_reduce", algorithm: "star")'
play 'whitebox(of: "all_reduce", channels: 0)'
# the fabrics of the library, and files that are none
for fabric in infiniband roce efa_p4 efa tcpx slingshot11 slingshot11_shared nvl72; do play "whitebox(\"std/networks/nccl_hopper.json\", between: \"std/networks/$fabric.json\", tier: 1)"; done
play 'whitebox("std/networks/nccl_hopper.json", between: "std/networks/nccl_ampere.json")'
play 'whitebox("std/networks/infiniband.json")'
play 'whitebox("std/networks/nccl_hopper.json", variables: { NCCL_DEBUG: "INFO", NCCL_IB_HCA: "mlx5", NCCL_PXN_DISABLE: 1 })'
tsrun -D 'network=[whitebox("std/networks/nccl_hopper.json", variables: { NCCL_DEBUG: "INFO", NCCL_IB_HCA: "mlx5" })]' _whitebox.ts 2>&1 | sed -n '/W0535/,/^$/p'
trainspec collective std/networks/nccl_hopper.json --ranks 16 --islands 2 -v NCCL_DEBUG=INFO -v NCCL_CROSS_NIC=1 | head -2
