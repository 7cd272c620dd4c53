# What was fitted to measured groups is the library's own choice: an algorithm that is forced is the constants'.
cat > "$scratch/net.json" <<'X'
{"trainspec-network": 1, "methods": [
 {"collective": "all_reduce", "algorithm": "ring", "protocol": "ll", "ranks": 8, "islands": 1, "channels": 24, "threads": 512, "connection_us": 7, "intra_hop_us": 0.7, "intra_gb_s": 240},
 {"collective": "all_reduce", "algorithm": "ring", "protocol": "ll", "channels": 24, "threads": 512, "connection_us": 7, "intra_hop_us": 0.6, "intra_gb_s": 140},
 {"collective": "all_reduce", "algorithm": "ring", "protocol": "simple", "channels": 24, "threads": 512, "connection_us": 20, "intra_hop_us": 3, "intra_share": 0.8},
 {"collective": "all_reduce", "algorithm": "tree", "protocol": "simple", "channels": 24, "threads": 512, "connection_us": 20, "intra_hop_us": 4, "intra_share": 0.8}]}
X
for v in "" "-v NCCL_ALGO=ring" "-v NCCL_PROTO=simple"; do
  echo "== $v"
  trainspec collective --ranks 8 --bytes 1073741824 $v "$scratch/net.json" | tail -n 1
done
