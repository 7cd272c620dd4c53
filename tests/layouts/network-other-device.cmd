# The twin, with the network of the cluster's device, is quiet.
tsc --check -W error -D net=h100_infiniband network-other-device.ts 2>&1; tsc --check -W error network-other-device.ts
