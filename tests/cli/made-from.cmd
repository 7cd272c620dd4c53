# A report says how to make it again, in every form: devices, cluster, -D, options, digests.
cp ../layouts/network-other-device.ts "$scratch/plan.ts"; printf 'kernels,transfers\n1.2,1.1\n' >"$scratch/slow.csv"; cd "$scratch"
made() { tsrun -D 'net=h100_infiniband' --network=whitebox --what-if='nic=800Gb/s' "$@" plan.ts 2>/dev/null; }
masked() { sed -E 's/(plan.ts|files of std, together) [0-9a-f]{8}/\1 DIGEST/'; }
echo "== text"; made --verbose --seed="week 1" --repeat=3 --jitter=normal:2% | sed -n '/^Made from/,$p' | masked
echo "== html"; made --format=html | sed -n '/^Made from/,/made by/p' | masked
echo "== json"; made --format=json | jq -c '.options, .ir, .cluster, ([.inputs[] | select(.role != "stdlib") | [.name, .role, .text, (.sha256 | length)]])'
echo "== another plan"; sed 's/layers: 4/layers: 5/' plan.ts >more.ts; made --diff=more.ts | sed -n '/^  options/p;/^  IR/p'
echo "== an IR that names no sources"; printf 'stream compute\nfragment F { compute 1 ms }\nprogram { F }\n' >plan.tsir
tsrun --verbose --contention plan.tsir 2>&1 | sed -n '/^Made from/,$p'; tsrun --format=json plan.tsir | jq -c '.options, .ir'
