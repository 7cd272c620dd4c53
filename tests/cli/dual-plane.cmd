for p in one two; do tsrun -p $p --network flow --format json _planes.ts | jq .step_time_ps; done | uniq | wc -l
for p in one two; do tsrun -p $p --network links --format json _planes.ts | jq .step_time_ps; done | uniq | wc -l
trainspec topo -p two _planes.ts | grep -A4 Links
