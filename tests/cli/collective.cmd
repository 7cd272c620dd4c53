c() { trainspec collective "$@" 2>&1; echo "exit $?"; }
c std/networks/nccl_hopper.json --ranks 32 --islands 4
c std/networks/h100_sxm.json --of all_gather --grouped 8 --bytes 1048576
c std/networks/h100_sxm.json --of all_gather --bytes 8589934592
c std/networks/nccl_hopper.json --of reduce_scatter --ranks 8 --islands 8 --bytes 65536 -v 'NCCL_ALGO=reducescatter:pat'
c std/networks/nccl_hopper.json --ranks 32 --islands 4 --bytes 1000000 -v NCCL_ALGO=collnetdirect -v NCCL_COLLNET_ENABLE=1
c std/networks/nccl_hopper.json --of all_to_all --ranks 32 --islands 4 --bytes 1000000 -v NCCL_P2P_PXN_LEVEL=0
c std/networks/nccl_hopper.json -v NCCL_MAX_CHANNELS=2
c std/networks/nccl_hopper.json --ranks 2 --islands 3
c std/networks/h100_sxm_curves.json
c _all_reduce.log
c std/networks/nccl_hopper.json --bytes 1000000 --intra 3600Gb/s
c std/networks/nccl_hopper.json --intra fast
c std/networks/nccl_hopper.json --inter=-3
