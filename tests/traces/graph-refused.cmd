cp _graph_1.json $scratch; try() { echo "== $1"; sed "$2" _graph_0.json >$scratch/g.json; (cd $scratch; trainspec ${3:-trace g.json} 2>&1); echo "exit $?"; }
try "another version" 's/"version": 1/"version": 2/'
try "no such stream" 's/"stream": 1/"stream": 7/'
try "no such group" 's/"group": 0, "peer"/"group": 5, "peer"/'
try "a collective nobody knows" 's/"comm": "send"/"comm": "whisper"/'
try "a dependency ahead" 's/"deps": \[2\]/"deps": [2, 5]/' 'replay --machine 1T:1T:1G:1us g.json _graph_1.json'
try "the same number twice" 's/{"id": 3, "op"/{"id": 2, "op"/'
try "no rank" 's/"rank": 0/"rank": 2/'
try "memory of no node" 's/"node": 3/"node": 100/'
try "memory that was never allocated" 's/"bytes": -32768/"bytes": -32769/' 'replay --machine 1T:1T:1G:1us g.json _graph_1.json'
try "less than nothing held" 's/"bytes": 4194304/"bytes": -1/' 'replay --machine 1T:1T:1G:1us g.json _graph_1.json'
try "more held than is freed of it" 's/"held": \[/&{"category": "parameters", "bytes": -1}, /' 'replay --machine 1T:1T:1G:1us g.json _graph_1.json'
try "a category nobody knows" 's/"category": "activations"/"category": "activation"/' 'replay --machine 1T:1T:1G:1us g.json _graph_1.json'
try "half a rank" 's/"ranks": \[0/"ranks": [0.5/'
try "a group without a number" 's|{"id": 0, "ranks"|{"ranks"|'
try "tensors as numbers" 's/"in": \[\[/"in": [[7, /'
try "one rank of two" '' 'replay --machine 1T:1T:1G:1us g.json'
try "no machine" '' 'replay g.json _graph_1.json'
try "half a machine" '' 'replay --machine 400T:3T g.json'
head -c 900 _graph_0.json >$scratch/cut.json; (cd $scratch; trainspec trace cut.json 2>&1 | head -3)
trainspec replay _graph_0.json _graph_0.json 2>&1; echo "exit $?"
trainspec replay _graph_0.json _graph_1.json 2>&1; echo "exit $?"
trainspec replay --machine 400T:3T:450G:5us _graph_0.json _small.json 2>&1; echo "exit $?"
