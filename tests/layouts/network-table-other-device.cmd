# The twin on the device of the table is quiet.
sed 's/dgx_a100/dgx_h100/; s/training_a100/training_h100/' network-table-other-device.ts >"$scratch/twin.ts"; cp _nccl_h100.csv "$scratch"; tsc --check -W error "$scratch/twin.ts" 2>&1; tsc --check -W error network-table-other-device.ts
