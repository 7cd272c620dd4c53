# What is wrong with graphs as the model of a plan.
cp _graph_0.json _graph_1.json _small.json _operators.json $scratch; cd $scratch; try() { echo "== $1"; sed "$2" $OLDPWD/_graphs.ts >p.ts; tsc p.ts -o p.ir 2>&1; echo "exit $?"; }; graph() { sed "$2" $OLDPWD/_graph_$1.json >_graph_$1.json; }
try "a mesh" 's/^  cluster/  mesh = { tp: 2 }\n  cluster/'
try "a model over an axis" 's/network = .*/network = [alpha_beta(over: rank)]/'
try "a cluster that is too small" 's/dgx_h100(nodes: 1)/one()/; s/^plan/cluster one() { device gpu[1]: h100_sxm }\nplan/'
try "a file that is not there" 's/_graph_/_grape_/'
try "one rank of two" 's/{rank}/0/'
try "a recording" 's/_graph_{rank}/_small/'
try "a mapping that lacks an entry" 's/graph(file)/graph("_operators.json", ops: { ops: [{ kind: "aten::mm", op: squares }] })/; s/^plan/op squares() { forward { kernel elementwise { writes = [1 B] } } }\nplan/'
try "work that is none" 's/graph(file)/graph("_operators.json", ops: { ops: [{ kind: "*", op: squares, work: "sideways" }] })/; s/^plan/op squares() { forward { kernel elementwise { writes = [1 B] } } }\nplan/'
tsc -S p.ts >/dev/null 2>&1; sed 's/graph(file)/graph("_operators.json")/' $OLDPWD/_graphs.ts >q.ts; tsc --list-ops q.ts 2>&1
graph 1 's/"op": "all_reduce"/"op": "all_gather"/; s/"comm": "all_reduce"/"comm": "all_gather"/'; try "calls that do not agree" ''
graph 1 '/"comm": "all_reduce"/s/"bytes": 4/"bytes": 8/'; try "bytes that differ" '' | head -2
graph 1 '/"comm": "send"/s/"tag": 0/"tag": 7/'; try "a message that nobody sends" ''
graph 1 's/"peer": 0/"peer": 5/'; try "a peer beyond" ''
graph 1 's/"world": 2/"world": 3/'; try "another world" ''
