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
# Calls over a group of a plan: their parts, also of reduction between nodes, by what answers in plays; times and bandwidths under each model, as text, CSV, JSON and a picture.
cp ../../examples/gpt3_175b.ts $scratch/plan.ts
c --parts --over dp --bytes 67108864 $scratch/plan.ts
c --parts --over tp --of reduce_scatter --format csv $scratch/plan.ts
c --parts --over dp --of all_gather --bytes 1048576 --format json $scratch/plan.ts
c --sweep --over dp $scratch/plan.ts
c --sweep --over dp --bytes 1000000 --format csv $scratch/plan.ts
c --sweep --over dp --format svg -o $scratch/sweep.svg $scratch/plan.ts; grep -o '<polyline\|(in simulations)\|[a-z_]* over dp, .* GB/s' $scratch/sweep.svg
c --parts $scratch/plan.ts
c --parts --over dp --rank 99999 $scratch/plan.ts
c --parts --sweep $scratch/plan.ts
c --parts std/networks/nccl_hopper.json
c --parts --over dp --format svg $scratch/plan.ts
c --over dp $scratch/plan.ts
