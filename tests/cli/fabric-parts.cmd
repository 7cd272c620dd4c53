# A white box that is joined with a fabric keeps its chunks, its loops and what ranks reduce.
cat > "$scratch/net.json" <<'X'
{"trainspec-network": 1, "methods": [
 {"collective": "all_reduce", "algorithm": "ring", "protocol": "simple", "channels": 8, "threads": 512, "chunk": 20000, "connection_us": 300, "intra_hop_us": 50, "inter_hop_us": 60, "reduction_ps_per_byte": 12, "least_bytes": 1, "most_bytes": 8000000},
 {"collective": "all_reduce", "algorithm": "ring", "protocol": "simple", "channels": 8, "threads": 512, "chunk": 300000, "connection_us": 300, "intra_hop_us": 100, "inter_hop_us": 280, "reduction_ps_per_byte": 6, "least_bytes": 100000000, "most_bytes": 1000000000}]}
X
for bytes in 4000000 200000000; do
  for fabric in "" "--between std/networks/infiniband.json"; do
    echo "== $bytes $fabric"
    trainspec collective --ranks 16 --islands 2 --bytes $bytes $fabric "$scratch/net.json" | tail -n 1
  done
done
