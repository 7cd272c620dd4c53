# What makes no model: no tensors, two recordings, a rank that talks to others, a node without a time, a view of nothing, no parameters, a profile alone.
cp _gpt.json.gz _timed.json.gz _small.json $scratch && cd $scratch; gzip -dc _timed.json.gz >t.json; m() { trainspec table --model "$@" 2>&1; }
m _gpt.json.gz; m t.json t.json; sed 's/"ranks": \[0\]/"ranks": [0, 1]/' t.json >talks.json; m talks.json; sed '0,/, "ns": [0-9]*}/s//}/' t.json >untimed.json; m untimed.json; sed 's/"of": 1[0-9]*/"of": 999999/' t.json >view.json; m view.json
sed 's/"is": "parameter"/"is": "buffer"/' t.json >held.json; m held.json; m _small.json; sed 's/"takes": \[/"takes": [7777777, /' t.json >gone.json; m gone.json; rm *.json*
