c() { trainspec collective "$@" 2>&1; echo "exit $?"; }
c std/networks/nccl_hopper.json --ranks 4 --bytes 1000003 -v NCCL_MAX_NCHANNELS=2 --flows
c std/networks/nccl_hopper.json --of all_to_all --ranks 4 --islands 2 --bytes 1000 --flows
c std/networks/nccl_hopper.json --ranks 4 --islands 2 --bytes 1000 -v NCCL_ALGO=tree --flows --format csv
c std/networks/nccl_hopper.json --ranks 2 --bytes 64 -v NCCL_ALGO=ring -v NCCL_MAX_NCHANNELS=1 --flows --format json
c std/networks/nccl_hopper.json --of all_gather --ranks 4 --islands 4 --bytes 4096 -v NCCL_ALGO=pat --flows | head -12
c std/networks/nccl_hopper.json --ranks 4 --bytes 400000000 --flows | sed -n 1,12p
c _networks.ts --flows --bytes 1000000
c _networks.ts --flows --bytes 1000000 --over dp --rank 3 | head -12
c _networks.ts --flows --bytes 1000000 --over tp --rank 99
c std/networks/nccl_hopper.json --flows
c std/networks/nccl_hopper.json --over dp
c std/networks/nccl_hopper.json --flows --bytes 100 --over dp
c _networks.ts
