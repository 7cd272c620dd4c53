tsrun -D 'network=[whitebox("std/networks/nccl_hopper.json", variables: { NCCL_ALGO: "allreduce:nvls" })]' _whitebox.ts 2>&1 | grep "no way"
