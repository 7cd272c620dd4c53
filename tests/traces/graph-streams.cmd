# Two streams of a graph compute: they share the device, unless the times hold that already; exports keep which.
play() { trainspec replay --machine 400T:3T:450G:5us -o $scratch/j.ir "$@" && tsrun $scratch/j.ir | grep -E "step time|that compute"; }
sed 's/"compute"/"compute", "unshared": true/' _streams.json >$scratch/recorded.json
for graph in _streams.json $scratch/recorded.json; do
  play $graph
  trainspec export --format=graph -o $scratch/again $scratch/j.ir && play $scratch/again.0.json
done
