# Clauses of `protocols` on the graphs of all ranks, against the same clauses on the schedule of the divided graph of one: the i-th forward and backward of a rank are the schedule's. Then what is refused.
cp _divided.0.json.gz _divided_pp.*.gz _divided.ts _again.ts _protocols.ts _graph_0.json _graph_1.json $scratch && cd $scratch
sed -i 's/^import std.clusters/import _protocols, std.clusters/; s/\bfile: String/rules: Any = [], &/; s/^  network = .*/&\n  protocols = rules/' _divided.ts _again.ts
step() { tsrun --format=json "$@" 2>/dev/null | awk -F'[:,]' '/"step_time_ps"/ { print $2; exit }'; }
for rules in '[]' later bare same large late '[later, large]' update; do echo "$rules" $(step -Dpp=2 -D rules="$rules" _divided.ts) $(step -D 'file="_divided_pp.{rank}.json.gz"' -D rules="$rules" _again.ts) | awk '{ n = NF; off = $(n-1) / $n - 1; $(n-1) = ""; printf "%s ms, the divided one is %s\n", $0, off * off < 4e-6 ? "within 0.2 %" : "not: " off }' | sed -E 's/ ([0-9]+)([0-9]{9}) ms/ \1 ms/'; done
again() { tsrun -D 'file="_divided_pp.{rank}.json.gz"' "$@" _again.ts 2>&1; }
again -D rules=same | sed -n '/^Assumed/,$p' | head -2; again -D rules=large | grep -A3 'Critical path'
for rules in circle some pairs unknown; do again -D rules=$rules | grep -v '^ *=* rank'; done
sed -i 's/"phase": "[a-z]*", //' _graph_*.json; tsrun -D 'file="_graph_{rank}.json"' -D rules=later _again.ts 2>&1
