for p in one two; do tsrun -p $p --network flow --format json _two_planes.ts | jq .step_time_ps; done | uniq | wc -l
for p in one two; do tsrun -p $p --network links --format json _two_planes.ts | jq .step_time_ps; done | uniq | wc -l
trainspec topo -p two _two_planes.ts | grep -A4 Links
